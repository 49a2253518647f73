import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ArtifactStore } from '../artifacts/artifact.js'
import { CapstanError } from '../errors.js'
import { checkOptionNames, isCount, isFunction, kindOf, type OptionKind, timeout } from '../option-names.js'
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
  /** 1 to 64 letters, digits, `_` and `-`. */
  readonly name: Name
  /**
   * Tells the model what the tool does and when to use it. A function computes it from the run's context, for each
   * request.
   */
  readonly description: string | ((context: Context) => string)
  /**
   * An object schema: zod 4, another Standard Schema with a JSON Schema, `jsonSchema({...})`, or `zod3(schema)` of
   * `@capstan/core/zod3`.
   */
  readonly parameters: Schema
  /**
   * Runs the tool. A generator yields progress and returns the result. Without a function the caller answers the calls:
   * the run ends as pending.
   */
  execute?(
    args: StandardSchemaV1.InferOutput<Schema>,
    ctx: ToolContext<Context>,
  ): Result | Promise<Result> | AsyncGenerator<unknown, Result> | Generator<unknown, Result>
  /**
   * The result's schema. A result that does not match is a call error. Results that the caller provides are checked
   * too. Default: any value.
   */
  readonly output?: StandardSchemaV1<Result, Output>
  /**
   * Returns what the model gets instead of the result: a string, or a value that is sent as JSON. Your program gets
   * the full result. Write it below `execute`, which determines its type. Default: the result.
   */
  toModel?(result: NoInfer<Output>): unknown
}

/** Settings of a tool: how its calls run. */
export interface ToolSettings<Args = unknown> {
  /** Deadline of one call in milliseconds, from when its function starts. Default: none. */
  readonly timeoutMs?: number
  /** The limit on concurrent calls of this tool, over all runs. Default: none. */
  readonly concurrency?: number
  /** The limit on calls that start within an interval, over all runs: `rateLimit({ calls, intervalMs })`. Default: none. */
  readonly rate?: RateLimit
  /**
   * The side effects of calls: `'read'` for none, or a function that returns a key for what a call writes. Calls with
   * the same key run one after another in all runs of this process, in call order within a step. Default: unknown;
   * calls run in parallel.
   */
  readonly effects?: 'read' | ((args: Args) => string)
  /**
   * Returns what a call will spend, from its arguments: `ledger(...)` reserves it before the function starts. Has no
   * effect without a ledger. Default: nothing is reserved before `ctx.spend`.
   */
  readonly spends?: (args: Args) => Spending
  /** Whether a call needs the caller's approval, or a function that decides this. Default false. */
  readonly needsApproval?: boolean | ((args: Args, view: PolicyView) => boolean | Promise<boolean>)
  /** Milliseconds after which a pending call behind `agentHandler` is denied. Default: `approvals.expiresInMs` there. */
  readonly approvalExpiresInMs?: number
  /**
   * Whether results may contain untrusted text, such as a web page. After the model has read such a result, calls to
   * tools without `effects: 'read'` need an approval. Default false.
   */
  readonly untrusted?: boolean
  /**
   * Whether the model gets a reply immediately while the function runs in the background. The result arrives as a
   * message with a later request. Its agent needs `backgroundCalls()` in `middleware`. Default false.
   */
  readonly background?: boolean
  /** Whether a result becomes the run's answer unchanged, without another request to the model. Default false. */
  readonly returnDirect?: boolean
  /**
   * Whether a model with vision sees returned images in the next request. Its agent needs `showImages()` in
   * `middleware`. Default false: it gets references.
   */
  readonly show?: boolean
  /**
   * The longest result that the model gets in full, in bytes. It gets the start and end of a longer one, and can read
   * the rest in parts. Default 64 KiB.
   */
  readonly maxResultBytes?: number
  /** Consecutive calls with invalid arguments, or in cut-off replies, after which the run ends as stuck. Default 3. */
  readonly maxRejections?: number
  /** Whether the server is asked to enforce the schema. Default false. */
  readonly strict?: boolean
}

/** A limit on starts: `calls` within any `intervalMs` milliseconds. */
export interface Rate {
  readonly calls: number
  readonly intervalMs: number
}

/** The setting `rate` of a tool, made by `rateLimit(...)`. */
export interface RateLimit extends Rate {
  /** Returns a queue for one tool. */
  createQueue(): RateQueue
}

/** Starts work in the order of arrival, as the rate allows. */
export interface RateQueue {
  /** Adds work. Rejects with the signal's reason if it aborts before the work starts. */
  add<T>(start: () => Promise<T>, options: { readonly signal: AbortSignal }): Promise<T>
}

/** The second argument of a tool's function. */
export interface ToolContext<Context = unknown> {
  /** The `context` option of the run: dependencies of the tools. Never sent to the model. */
  readonly context: Context
  /** Aborts with the run and at the tool's deadline. */
  readonly signal: AbortSignal
  /** The id of the run; a direct call has its own id. */
  readonly runId: string
  /** The id of the call, set by the model or the server. */
  readonly callId: string
  /** The index of the reply that made the call, from 0. */
  readonly step: number
  /** The same for every attempt of the call and every run that resumes it. Pass it to services that ignore duplicates. */
  readonly idempotencyKey: string
  /** The store for bytes. Put bytes here and return the artifact: the model gets a reference. */
  readonly artifacts: ArtifactStore
  /** Emits a `tool-progress` event; with the fields of a part, a `data-part` event. */
  progress(value: unknown, part?: DataPart): void
  /**
   * Reports spending before it happens. It counts toward the run's usage. Await the call, so that the run's ledger can
   * reserve the spending, if there is one.
   * @throws CapstanError `stopped` immediately if a run limit would be exceeded; rejects with it if the ledger has too
   * little left. Do not spend then
   */
  spend(spending: Spending): Promise<void>
}

/** Options of a direct call. `context` is required if the tool's function has one. */
export type CallOptions<Context = unknown> = {
  /** The store of the call. Default: a new memory store. */
  readonly artifacts?: ArtifactStore
  /** Ends the call immediately, with its reason. If the function ignores it, its result is dropped. Default: none. */
  readonly signal?: AbortSignal
} & (unknown extends Context ? { readonly context?: Context } : { readonly context: Context })

/** The options of a tool, in the order in which errors list them. */
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
 * Checks the options of a tool, for callers without types too.
 * @throws CapstanError `invalid_tool` for a name that servers reject, an empty description, or an invalid option
 */
export function checkToolOptions(options: Readonly<Record<string, unknown>>): void {
  const { name, description } = options
  if (typeof name !== 'string' || !isToolName(name)) {
    throw invalidTool(name, `"${name}" is not a valid tool name. Use 1 to 64 letters, digits, "_" and "-"`)
  }
  checkOptionNames(options, optionKinds, { of: `Tool "${name}"`, code: 'invalid_tool', evidence: { name } })
  if (!isFunction(description)) checkDescription(name, description)
}

/** Whether servers accept a tool's name. */
export function isToolName(name: string): boolean {
  return /^[\w-]{1,64}$/.test(name)
}

/** @throws CapstanError `invalid_tool` for an empty description, or none */
export function checkDescription(name: string, description: unknown): void {
  if (typeof description !== 'string' || description === '')
    throw invalidTool(name, `Tool "${name}" has no description. Add one`)
}

/** Returns the error for a tool or its name. The message lacks its last full stop. */
export function invalidTool(name: unknown, message: string): CapstanError {
  return new CapstanError('invalid_tool', `${message}.`, { evidence: { name } })
}

/** Returns the error for a value in `tools` that is not a tool. The message tells how to turn the value into a tool. */
export function notATool(value: unknown): CapstanError {
  const { tools, run, function: wire } = Object(value)
  const shapes: readonly (readonly [is: unknown, found: string, use: string])[] = [
    [Array.isArray(value), 'an array', 'Spread it: tools: [...array]'],
    [run, 'an agent', 'Use agentTool(agent)'],
    [tools, 'an object with tools', 'Spread it: tools: [...given.tools]'],
    [typeof value === 'function', 'a function', 'Call it, or use tool({ ... })'],
    [wire, 'the wire form of a tool', 'Use tool({ name, description, parameters: jsonSchema({ ... }) })'],
    [true, kindOf(value), 'Use tool({ name, description, parameters, execute })'],
  ]
  const [, found, use] = shapes.find(([is]) => is) ?? []
  return new CapstanError('invalid_tool', `tools contains ${found}. ${use}.`)
}
