import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ArtifactStore } from '../artifacts/artifact.js'
import { CapstanError } from '../errors.js'
import { isFunction, isString } from '../json.js'
import { checkOptionNames, isCount, kindOf, type OptionKind, timeout } from '../option-names.js'
import type { DataPart } from '../types/message.js'
import type { Spending } from '../usage.js'
import type { PolicyView } from './policies.js'

/** A tool's definition for the model, its function, and its settings. */
export interface ToolOptions<
  Name extends string,
  Schema extends StandardSchemaV1,
  Result,
  Context,
  Output = Result,
> extends ToolSettings<StandardSchemaV1.InferOutput<Schema>> {
  /** 1 to 64 characters: letters, digits, `_` and `-`. */
  readonly name: Name
  /**
   * Tells the model what the tool does and when to use it. A function is called with the run's context for each
   * request.
   */
  readonly description: string | ((context: Context) => string)
  /**
   * An object schema: from zod 4 or another library whose Standard Schemas export JSON Schema, `jsonSchema({...})`, or
   * `zod3(schema)` from `@capstan/core/zod3`.
   */
  readonly parameters: Schema
  /**
   * Runs the tool. A generator can yield progress before it returns the result. Without this function, the run ends as
   * `pending` at each call, and the caller supplies the result.
   */
  execute?(
    args: StandardSchemaV1.InferOutput<Schema>,
    ctx: ToolContext<Context>,
  ): Result | Promise<Result> | AsyncGenerator<unknown, Result> | Generator<unknown, Result>
  /**
   * The result's schema. A call whose result does not match fails. Results that the caller supplies are checked too.
   * Default: any value.
   */
  readonly output?: StandardSchemaV1<Result, Output>
  /**
   * Returns what the model gets instead of the result: a string, or a value that is sent as JSON. Your program still
   * gets the full result. Write `toModel` below `execute`, because TypeScript infers the parameter of `toModel` from
   * the result of `execute`. Default: the result.
   */
  toModel?(result: NoInfer<Output>): unknown
}

/** Settings that control how a tool's calls run. */
export interface ToolSettings<Args = unknown> {
  /**
   * Timeout for a call in milliseconds, from when its function starts. Default: the agent's `stepTimeoutMs`, if set.
   */
  readonly timeoutMs?: number
  /** Maximum number of concurrent calls to this tool, across all runs. Default: no limit. */
  readonly concurrency?: number
  /**
   * Limits how many calls start within an interval, across all runs: `rateLimit({ calls, intervalMs })`. Default: no
   * limit.
   */
  readonly rate?: RateLimit
  /**
   * The side effects of calls: `'read'` for none, or a function that returns a key for what a call writes to. Calls
   * with the same key run one after another across all runs of this process, and in call order within a step. Default:
   * side effects are unknown, and calls run in parallel.
   */
  readonly effects?: 'read' | ((args: Args) => string)
  /**
   * Returns what a call with these arguments will spend, so that `ledger(...)` can reserve it before the function
   * starts. Has no effect without a ledger. Default: nothing is reserved until `ctx.spend` is called.
   */
  readonly spends?: (args: Args) => Spending
  /** Whether a call needs the caller's approval, or a function that decides this for each call. Default false. */
  readonly needsApproval?: boolean | ((args: Args, view: PolicyView) => boolean | Promise<boolean>)
  /** Milliseconds after which `agentHandler` denies a pending call. Default: the handler's `approvals.expiresInMs`. */
  readonly approvalExpiresInMs?: number
  /**
   * Whether results may contain untrusted text, such as a web page. After the model has read such a result, calls to
   * tools without `effects: 'read'` need approval. Default false.
   */
  readonly untrusted?: boolean
  /**
   * Whether the function runs in the background. The model is told this immediately, and gets the result as a message
   * with a later request. Requires `backgroundCalls()` in the agent's `middleware`. Default false.
   */
  readonly background?: boolean
  /** Whether a result becomes the run's answer unchanged, without another request to the model. Default false. */
  readonly returnDirect?: boolean
  /**
   * Whether models with vision are shown returned images in the next request. Requires `showImages()` in the agent's
   * `middleware`. Default false: models only get references.
   */
  readonly show?: boolean
  /**
   * Maximum size, in bytes, of a result that the model gets in full. If a result is larger, the model gets its start
   * and end, and can read the rest in parts. Default 64 KiB.
   */
  readonly maxResultBytes?: number
  /**
   * After this many consecutive calls whose arguments are invalid or whose reply was cut off, the run ends as `stuck`.
   * Default 3.
   */
  readonly maxRejections?: number
  /** Whether to ask the server to enforce the schema. Default false. */
  readonly strict?: boolean
}

/** Limits how many calls may start: at most `calls` within any period of `intervalMs` milliseconds. */
export interface Rate {
  readonly calls: number
  readonly intervalMs: number
}

/** A tool's `rate` setting, created by `rateLimit(...)`. */
export interface RateLimit extends Rate {
  /** Returns a new queue. Called once per tool, so that each tool has its own queue. */
  createQueue(): RateQueue
}

/** Starts work in order of arrival, as soon as the rate allows. */
export interface RateQueue {
  /** Adds work. Rejects with the signal's reason if the signal aborts before the work starts. */
  add<T>(start: () => Promise<T>, options: { readonly signal: AbortSignal }): Promise<T>
}

/** The second argument of a tool's function. */
export interface ToolContext<Context = unknown> {
  /** The run's `context` option, for the tools' dependencies. Never sent to the model. */
  readonly context: Context
  /** Aborts when the run is aborted and when the call times out. */
  readonly signal: AbortSignal
  /** The run's id. A direct call has its own id. */
  readonly runId: string
  /** The call's id, set by the model or the server. */
  readonly callId: string
  /** The index of the reply that made the call, from 0. */
  readonly step: number
  /**
   * Stays the same for every attempt at the call, and in every run that resumes it. Pass this key to services that
   * detect duplicates.
   */
  readonly idempotencyKey: string
  /** The store for files. Put bytes here and return the artifact; the model gets a reference. */
  readonly artifacts: ArtifactStore
  /** Emits a `tool-progress` event, or a `data-part` event if `part` is passed. */
  progress(value: unknown, part?: DataPart): void
  /**
   * Reports spending before it happens, so that it counts toward the run's usage. Await `spend`, so that the run's
   * ledger, if there is one, can reserve the amount. If `spend` throws or rejects, do not spend anything.
   * @throws CapstanError `stopped` immediately if a run limit would be exceeded, or as a rejection if the ledger has
   * too little left
   */
  spend(spending: Spending): Promise<void>
}

/** Options for a direct call, `tool.call(...)`. `context` is required if the tool declares one. */
export type CallOptions<Context = unknown> = {
  /** The store for the call's artifacts. Default: a new store in memory. */
  readonly artifacts?: ArtifactStore
  /**
   * Rejects the call with the signal's reason as soon as the signal aborts. If the function keeps running, its result
   * is dropped. Default: none.
   */
  readonly signal?: AbortSignal
} & (unknown extends Context ? { readonly context?: Context } : { readonly context: Context })

/** The kind of value that each tool option accepts. Errors list the options in this order. */
const optionKinds: Readonly<
  Record<keyof ToolOptions<string, StandardSchemaV1, unknown, unknown>, OptionKind>
> = {
  name: true,
  description: true,
  parameters: true,
  execute: 'a function',
  output: 'a schema: z.object({ ... })',
  toModel: 'a function',
  timeoutMs: timeout,
  concurrency: ['a whole number of at least 1, or omit it for no limit', isCount],
  rate: [
    'rateLimit({ calls, intervalMs }) from @capstan/core',
    (value: unknown) => isFunction(Object(value).createQueue),
  ],
  effects: [
    '"read", or a function that returns a key',
    (value: unknown) => value === 'read' || isFunction(value),
  ],
  spends: 'a function',
  approvalExpiresInMs: 'a number of at least 0',
  needsApproval: [
    'true, false or a function',
    (value: unknown) => typeof value === 'boolean' || isFunction(value),
  ],
  untrusted: 'true or false',
  background: 'true or false',
  returnDirect: 'true or false',
  show: 'true or false',
  maxResultBytes: [
    'a whole number of at least 256, or omit it for 64 KiB',
    (value: unknown) => isCount(value, 256),
  ],
  maxRejections: ['a whole number of at least 1, or omit it for 3', isCount],
  strict: true,
}

/**
 * Checks a tool's options, including what the types already check, for callers without TypeScript.
 * @throws CapstanError `invalid_tool` for a name that servers reject, an empty description, or an invalid option
 */
export function checkToolOptions(options: Readonly<Record<string, unknown>>): void {
  const { name, description } = options
  if (!isString(name) || !isToolName(name)) {
    throw invalidTool(name, `"${name}" is not a valid tool name. Use 1 to 64 letters, digits, "_" and "-"`)
  }
  checkOptionNames(options, optionKinds, { of: `Tool "${name}"`, code: 'invalid_tool', evidence: { name } })
  if (!isFunction(description)) checkDescription(name, description)
}

/** Whether model servers accept a tool name. */
export function isToolName(name: string): boolean {
  return /^[\w-]{1,64}$/.test(name)
}

/** @throws CapstanError `invalid_tool` if a tool's description is missing or empty */
export function checkDescription(name: string, description: unknown): void {
  if (!isString(description) || description === '')
    throw invalidTool(name, `Tool "${name}" has no description. Add one`)
}

/** Returns the error for an invalid tool or tool name. Pass the message without its final full stop. */
export function invalidTool(name: unknown, message: string): CapstanError {
  return new CapstanError('invalid_tool', `${message}.`, { evidence: { name } })
}

/** Returns the error for a value in `tools` that is not a tool. The message explains how to turn the value into one. */
export function notATool(value: unknown): CapstanError {
  const { tools, run, function: wire } = Object(value)
  const shapes: readonly (readonly [is: unknown, found: string, use: string])[] = [
    [Array.isArray(value), 'an array', 'Spread it: tools: [...array]'],
    [run, 'an agent', 'Use agentTool(agent)'],
    [tools, 'an object with tools', 'Spread it: tools: [...given.tools]'],
    [isFunction(value), 'a function', 'Call it, or use tool({ ... })'],
    [wire, 'the wire form of a tool', 'Use tool({ name, description, parameters: jsonSchema({ ... }) })'],
    [true, kindOf(value), 'Use tool({ name, description, parameters, execute })'],
  ]
  const [, found, use] = shapes.find(([is]) => is) ?? []
  return new CapstanError('invalid_tool', `tools contains ${found}. ${use}.`)
}
