import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ArtifactStore } from '../artifacts/artifact.js'
import { memoryArtifacts } from '../artifacts/memory-artifacts.js'
import { ignore, withDeadline } from '../async.js'
import { CapstanError } from '../errors.js'
import { hash } from '../json.js'
import type { OptionKind } from '../option-names.js'
import type { ToolDefinition } from '../types/message.js'
import type { HostedDefinition } from '../types/model.js'
import type { CallResult } from '../types/state.js'
import type { Spending } from '../usage.js'
import type { PolicyView } from './policies.js'
import { toParameters } from './to-json-schema.js'
import { checkDescription, checkToolOptions, notATool, optionKinds } from './tool-options.js'
import { settle, validate, withOutput } from './validate.js'

/** The types of a tool: its name, the schema's input and output, the function's result and its context. */
export interface ToolTypes {
  readonly name: string
  readonly input: unknown
  readonly args: unknown
  readonly result: unknown
  readonly context: unknown
}

/** Options of `tool(...)`. */
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
   * Tells the model what the tool does and when to use it. A function computes it from the context of the run, for each
   * request.
   */
  readonly description: string | ((context: Context) => string)
  /**
   * An object schema: zod 4, another Standard Schema with a JSON Schema, or `jsonSchema({...})`. Schemas of zod 3 need
   * `import '@capstan/core/zod3'`.
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
   * The schema of the result. One that does not match is an error of the call. Those that the caller gives are checked
   * as well. Default: any value.
   */
  readonly output?: StandardSchemaV1<Result, Output>
  /**
   * Returns what the model reads in place of the result: a text, or a value that it reads as JSON. The program has the
   * whole result. Write it below `execute`, from which its type follows. Default: the result.
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
   * The side effects of calls: `'read'` for none, or a function that returns the key of the thing that a call writes.
   * Calls with the same key run sequentially in all runs of this process, in call order within a step. Default: unknown;
   * calls run in parallel.
   */
  readonly effects?: 'read' | ((args: Args) => string)
  /** Whether a call waits for an approval of the caller, or a function that decides it. Default false. */
  readonly needsApproval?: boolean | ((args: Args, view: PolicyView) => boolean | Promise<boolean>)
  /**
   * Whether results may contain text of untrusted sources, as a web page does. Once the model has read one, calls of
   * tools without `effects: 'read'` wait for an approval. Default false.
   */
  readonly untrusted?: boolean
  /**
   * Whether a call is answered at once, while its function runs in the background: its outcome is a message before a later
   * request. Its agent needs `backgroundCalls()` in `middleware`. Default false.
   */
  readonly background?: boolean
  /** Whether a result becomes the run's answer unchanged, without another request to the model. Default false. */
  readonly returnDirect?: boolean
  /**
   * Whether a model with vision sees returned images in the next request. Its agent needs `showImages()` in
   * `middleware`. Default false: it reads references.
   */
  readonly show?: boolean
  /** Bytes of the longest result that the model reads whole. It reads the ends of a longer one, and can page through it. Default 64 KiB. */
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
  /** Rejects with the signal's reason when it aborts before the start. */
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
  /** The store for bytes: put them here and return the artifact, and the model reads a reference. */
  readonly artifacts: ArtifactStore
  /** Emits a `tool-progress` event. */
  progress(value: unknown): void
  /**
   * Reports spending before it happens. It counts towards the run's usage. @throws CapstanError `stopped` when a limit
   * of the run would be passed: then the call must not spend it
   */
  spend(spending: Spending): void
}

/** An agent behind a tool. */
export interface ChildTool {
  /** The name of the agent, which the run knows. */
  readonly agent: string
  /** How its runs start and end: a `ChildRuns`. It comes with the tool, so that other programs do not load it. */
  readonly runs: unknown
  /** Returns the agent's input for the arguments of a call. */
  toInput(args: unknown): string
}

/** A typed function that a model may call. */
export interface Tool<Types extends ToolTypes = ToolTypes> {
  /** The name that the model calls. */
  readonly name: Types['name']
  /** The schema that validates arguments. */
  readonly parameters: StandardSchemaV1
  readonly settings: ToolSettings
  /** The tool as requests contain it. */
  readonly definition: ToolDefinition
  /** The function, for validated arguments. Absent if the caller answers the calls. */
  execute?(args: Types['args'], ctx: ToolContext<Types['context']>): unknown
  /**
   * Calls the tool directly, without a run: validates the arguments and enforces the tool's deadline. `concurrency` and
   * `rate` do not apply. @throws CapstanError `invalid_arguments`, `timeout`, `unsupported` without a function, or the
   * signal's reason
   */
  call(args: Types['input'], ...options: CallArgument<Types['context']>): Promise<Types['result']>
  /** The schema of results. */
  readonly output?: StandardSchemaV1
  /** Returns what the model reads of a result. */
  toModel?(result: unknown): unknown
  /** Returns the description for the context of a run. The definition has none then. */
  describe?(context: unknown): string
  /** The agent that answers the calls, instead of a function. */
  readonly child?: ChildTool
  /** A tool that the model's server runs, as requests contain it. */
  readonly hosted?: HostedDefinition
  /** A middleware of runs with this tool. It comes with the tool, so that other programs do not load it. */
  readonly middleware?: unknown
  /** The name of the agent that continues the conversation after a call. */
  readonly handoff?: string
  /** How it goes on: `HandoffRules`. They come with the tool, so that other programs do not load them. */
  readonly handoffRules?: unknown
  /** The agent that answers the calls, or to which a call hands over. */
  readonly agentBehind?: unknown
  /** Returns the id of the artifact whose text a call returns: the result is trusted no more than that text. */
  reads?(args: unknown): string
  /** Whether a call ends the run with the agent's output. It is always offered, and needs no approval. */
  readonly endsRun?: boolean
  /** Whether the name is known only at run time. Results mark its calls as dynamic. */
  readonly isDynamic?: boolean
  /** For types only; absent at run time. */
  readonly '~types'?: Types
}

/** Options of a direct call. `context` is required if the tool's function has one. */
export type CallOptions<Context = unknown> = CommonCallOptions &
  (unknown extends Context ? { readonly context?: Context } : { readonly context: Context })

/** Options of every direct call. */
interface CommonCallOptions {
  /** The store of the call. Default: a new memory store. */
  readonly artifacts?: ArtifactStore
  /** Ends the call at once, with its reason. The outcome of a function that ignores it is dropped. Default: none. */
  readonly signal?: AbortSignal
}

/** The options argument: optional unless the function has a context. */
type CallArgument<Context> = unknown extends Context
  ? [options?: CallOptions<Context>]
  : [options: CallOptions<Context>]

/** A tool with any types. */
export type AnyTool = Tool<ToolTypes>

type TypesOf<T> = T extends { readonly '~types'?: infer Types | undefined }
  ? Extract<Types, ToolTypes>
  : never

/** The name of a tool, as a literal type. */
export type NameOf<T extends AnyTool> = TypesOf<T>['name']
/** The arguments as the model writes them: the schema's input. */
export type ArgumentsOf<T extends AnyTool> = TypesOf<T>['input']
/** The return type of a tool's function. */
export type ResultOf<T extends AnyTool> = TypesOf<T>['result']

/** The context that satisfies all of the tools; `unknown` if none has one. */
export type ContextOf<Tools extends readonly AnyTool[]> = Intersection<
  { [K in keyof Tools]: { asks: TypesOf<Tools[K]>['context'] } }[number]
>

type Intersection<U> = [U] extends [never]
  ? unknown
  : (U extends { asks: infer C } ? (context: C) => void : never) extends (context: infer I) => void
    ? I
    : unknown

/**
 * The type itself, which is not inferred from where a tool is used: the `tools` of an agent take tools with any result.
 * `NoInfer` would stay in the type of the tool.
 */
type NotFromContext<Type> = [Type][Type extends unknown ? 0 : never]

/**
 * Defines a tool. Its types follow from the schema and the function.
 * @throws CapstanError `invalid_tool` for a name that servers reject, an empty description, an invalid option, or a schema
 * that JSON Schema cannot express
 */
export function tool<
  const Name extends string,
  Schema extends StandardSchemaV1,
  Result,
  Context = unknown,
  Output = Result,
>(
  options: ToolOptions<Name, Schema, Result, Context, Output>,
): Tool<{
  name: Name
  input: StandardSchemaV1.InferInput<Schema>
  args: StandardSchemaV1.InferOutput<Schema>
  result: NotFromContext<Output>
  context: Context
}> {
  checkToolOptions({ ...options }, allKinds)
  // Called only with what passed the schemas, in a run that has the context.
  const { name, ...given } = options
  const { description, parameters, execute, output, toModel, ...settings } = given as unknown as AnyOptions
  const { timeoutMs, strict = false } = settings
  const run = execute && output ? withOutput(name, execute, output) : execute
  const isComputed = typeof description === 'function'
  return {
    name,
    parameters,
    settings,
    definition: toDefinition({ name, description: isComputed ? '' : description, parameters, strict }),
    ...(run && { execute: run }),
    ...(output && { output }),
    ...(toModel && { toModel }),
    ...(isComputed && { describe: description }),
    call: (input, ...[given]) =>
      callDirectly({ name, parameters, timeoutMs, execute: run }, input, given) as Promise<Output>,
  }
}

type AnyOptions = ToolOptions<string, StandardSchemaV1, unknown, unknown>

/** The type makes the compiler report an option without a kind. */
const allKinds: Readonly<Record<keyof AnyOptions, OptionKind>> = optionKinds

interface DefinitionOptions extends Pick<AnyOptions, 'name' | 'parameters' | 'strict'> {
  readonly description: string
}

function toDefinition({ name, description, parameters: schema, strict }: DefinitionOptions): ToolDefinition {
  const parameters = toParameters(schema, name)
  const definition = { name, description, parameters, ...(strict ? { strict } : {}) }
  return Object.freeze({ type: 'function', function: Object.freeze(definition) })
}

/** The parts of a tool that a direct call needs. */
interface Callable {
  readonly name: string
  readonly parameters: StandardSchemaV1
  readonly timeoutMs: number | undefined
  readonly execute: ((args: unknown, ctx: ToolContext) => unknown) | undefined
}

/** Calls a tool's function without a run. Arguments are validated, and the tool's deadline applies. */
async function callDirectly(
  { name, parameters, timeoutMs, execute }: Callable,
  input: unknown,
  { context, artifacts = memoryArtifacts(), signal: given = new AbortController().signal }: CallOptions = {},
): Promise<unknown> {
  if (!execute) {
    const message = `"${name}" has no function. The caller of a run answers its calls.`
    throw new CapstanError('unsupported', message, { evidence: { tool: name } })
  }
  const checked = await validate(parameters, input)
  if (!checked.ok) {
    const message = `Invalid arguments for "${name}": ${checked.issues.join('; ')}.`
    throw new CapstanError('invalid_arguments', message, { evidence: { tool: name, issues: checked.issues } })
  }
  const id = `call_${crypto.randomUUID()}`
  const ids = { runId: id, callId: id, idempotencyKey: id, step: 0 }
  given.throwIfAborted()
  return withDeadline(given, { name, timeoutMs }, async (signal) => {
    const ctx = { context, signal, artifacts, progress: ignore, spend: ignore, ...ids }
    return settle(execute(checked.value, ctx), ignore, signal)
  }).result
}

/** A call whose function is about to run. */
export interface RunningCall {
  readonly callId: string
  readonly name: string
  /** Validated arguments, as the tool's function gets them. */
  readonly arguments: unknown
  readonly tool: Tool
  /** The same for each attempt, and when the call is repeated after a crash. */
  readonly idempotencyKey: string
  /** Aborts with the run. The `timeoutMs` of the tool is the deadline of one attempt, which has its own signal. */
  readonly signal: AbortSignal
  /** The artifacts as the tool's function has them: stored ones name the call, and count towards the run's limits. */
  readonly artifacts?: ArtifactStore
}

/** The result of a call, with the error that it failed with. The error is not enumerable, so that it is not stored. */
export interface ToolOutcome extends CallResult {
  readonly error?: unknown
}

/** The tools of one run, found by name. */
export interface Toolset {
  readonly tools: readonly Tool[]
  readonly names: readonly string[]
  readonly definitions: readonly ToolDefinition[]
  /** Returns the definitions with descriptions for a context. Undefined when no tool computes one. */
  readonly describe: ((context: unknown) => readonly ToolDefinition[]) | undefined
  /** Changes with a name, a description or a schema, but not with the order of the tools. */
  readonly hash: string
  /** How the conversation goes to another agent, as the tools for it bring it along. */
  readonly handoffRules: Tool['handoffRules']
  get(name: string): Tool | undefined
}

/** Collects the tools of a run. @throws CapstanError `invalid_tool` for two tools of the same name, or a value that is not a tool */
export function toToolset(tools: readonly Tool[]): Toolset {
  const byName = new Map<string, Tool>()
  for (const tool of tools) {
    if (!tool?.definition) throw notATool(tool)
    if (byName.has(tool.name)) {
      const message = `Duplicate tool name "${tool.name}". Tool names must be unique.`
      throw new CapstanError('invalid_tool', message, { evidence: { name: tool.name } })
    }
    byName.set(tool.name, tool)
  }
  const definitions = tools.map((tool) => tool.definition)
  return {
    tools,
    names: [...byName.keys()],
    definitions,
    describe: tools.some(({ describe }) => describe) ? (context) => describeAll(tools, context) : undefined,
    hash: hash(JSON.stringify(definitions.toSorted(byToolName))),
    handoffRules: tools.find(({ handoffRules }) => handoffRules)?.handoffRules,
    get: (name) => byName.get(name),
  }
}

function describeAll(tools: readonly Tool[], context: unknown): readonly ToolDefinition[] {
  return tools.map(({ name, definition, describe }) => {
    if (!describe) return definition
    const description = describe(context)
    checkDescription(name, description)
    return { ...definition, function: { ...definition.function, description } }
  })
}

function byToolName({ function: one }: ToolDefinition, { function: other }: ToolDefinition): number {
  return one.name < other.name ? -1 : 1
}
