import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ArtifactStore } from '../artifacts/artifact.js'
import { memoryArtifacts } from '../artifacts/memory-artifacts.js'
import { abortable, joinSignals } from '../async.js'
import { CapstanError } from '../errors.js'
import { hash } from '../json.js'
import type { ToolDefinition } from '../types/message.js'
import type { Spending } from '../usage.js'
import type { PolicyView } from './policies.js'
import { toParameters } from './to-json-schema.js'
import { validate } from './validate.js'

/** What a tool's types are: the schema's input and output, the function's result, the context it asks for. */
export interface ToolTypes {
  readonly name: string
  readonly input: unknown
  readonly args: unknown
  readonly result: unknown
  readonly context: unknown
}

/** What `tool(...)` takes. */
export interface ToolOptions<Name extends string, Schema extends StandardSchemaV1, Result, Context>
  extends ToolSettings<StandardSchemaV1.InferOutput<Schema>> {
  /** 1 to 64 letters, digits, `_` and `-`. */
  readonly name: Name
  /** What the tool does and when to use it: the model chooses by this. */
  readonly description: string
  /** An object schema: zod 4, zod 3, another Standard Schema that can say its JSON Schema, or `jsonSchema({...})`. */
  readonly parameters: Schema
  /**
   * Runs the tool. A generator reports what it yields as progress and returns the result. Without it the caller
   * answers the calls: the run ends as pending.
   */
  execute?(
    args: StandardSchemaV1.InferOutput<Schema>,
    ctx: ToolContext<Context>,
  ): Result | Promise<Result> | AsyncGenerator<unknown, Result> | Generator<unknown, Result>
}

/** An agent as a tool. */
interface ChildTool {
  /** Its name, known to the run. */
  readonly agent: string
  /** What it is told of a call. */
  toInput(args: unknown): string
}

/** A typed function that a model may call. */
export interface Tool<Types extends ToolTypes = ToolTypes> {
  /** What the model calls it by. */
  readonly name: Types['name']
  /** The schema that arguments are checked against. */
  readonly parameters: StandardSchemaV1
  readonly settings: ToolSettings
  /** The tool as requests show it to the model. */
  readonly definition: ToolDefinition
  /** The function itself, for arguments that were checked; absent where the caller answers. */
  execute?(args: Types['args'], ctx: ToolContext<Types['context']>): unknown
  /**
   * The plain function: checks the arguments, runs to the tool's deadline, returns. Its calls take no slot: the
   * tool's `concurrency` and `rate` bound runs. @throws CapstanError `invalid_arguments`, `timeout`, `unsupported`
   * without a function, or the signal's reason
   */
  call(args: Types['input'], ...options: CallArgument<Types['context']>): Promise<Types['result']>
  /** The agent that answers the calls, in place of a function. */
  readonly child?: ChildTool
  /** The agent that goes on with the conversation after a call. */
  readonly handoff?: string
  /** The id of the artifact whose text a call gives back: the result is as little trusted as that text. */
  reads?(args: unknown): string
  /** Whether its name is known at run time only: results call its calls dynamic. */
  readonly isDynamic?: boolean
  /** Types only; never there at run time. */
  readonly '~types'?: Types
}

/**
 * Defines a tool; its types follow from the schema and the function.
 * @throws CapstanError `invalid_tool` for a name that servers refuse, an option that cannot be kept, or a schema that
 * JSON cannot express
 */
export function tool<const Name extends string, Schema extends StandardSchemaV1, Result, Context = unknown>(
  options: ToolOptions<Name, Schema, Result, Context>,
): Tool<{
  name: Name
  input: StandardSchemaV1.InferInput<Schema>
  args: StandardSchemaV1.InferOutput<Schema>
  result: Result
  context: Context
}> {
  checkOptions({ ...options }, Object.keys(known))
  const { name, description, parameters, execute, ...settings } = options
  const { timeoutMs, strict = false } = settings
  // Only ever called with arguments that the schema let pass, in a run that has the context.
  const run =
    execute && ((args: unknown, ctx: ToolContext) => execute(args as never, ctx as ToolContext<Context>))
  return {
    name,
    parameters,
    settings: settings as ToolSettings,
    definition: toDefinition({ name, description, parameters, strict }),
    ...(run ? { execute: run } : {}),
    call: (input, ...[given]) =>
      plainCall({ name, parameters, timeoutMs, execute: run }, input, given) as Promise<Result>,
  }
}

/** Every option by its name: the compiler finds one that is missing here. */
const known: Readonly<Record<keyof ToolOptions<string, StandardSchemaV1, unknown, unknown>, true>> = {
  name: true,
  description: true,
  parameters: true,
  execute: true,
  timeoutMs: true,
  concurrency: true,
  rate: true,
  effects: true,
  needsApproval: true,
  untrusted: true,
  returnDirect: true,
  show: true,
  maxResultBytes: true,
  maxRejections: true,
  strict: true,
}

type DefinitionOptions = Pick<
  ToolOptions<string, StandardSchemaV1, unknown, unknown>,
  'name' | 'description' | 'parameters' | 'strict'
>

function toDefinition({ name, description, parameters, strict }: DefinitionOptions): ToolDefinition {
  const shown = {
    name,
    description,
    parameters: toParameters(parameters, name),
    ...(strict ? { strict } : {}),
  }
  return Object.freeze({ type: 'function', function: Object.freeze(shown) })
}

/** How a tool is run, besides its function. */
export interface ToolSettings<Args = unknown> {
  /** Deadline of one call in milliseconds, from when its function starts. Default: none. */
  readonly timeoutMs?: number
  /** Calls of this tool at one time, over all runs. Default: no bound of its own. */
  readonly concurrency?: number
  /** Calls of this tool that may start within any stretch of `intervalMs` milliseconds, over all runs. Default: no bound. */
  readonly rate?: Rate
  /**
   * What calls change: `'read'` says nothing, a function names what a call writes. Calls that write the same run one
   * after another, in call order. Default: not known; they run side by side.
   */
  readonly effects?: 'read' | ((args: Args) => string)
  /** Whether a call waits for a yes of the caller, or a function that decides it. Default false. */
  readonly needsApproval?: boolean | ((args: Args, view: PolicyView) => boolean | Promise<boolean>)
  /**
   * Whether results may hold words of strangers, as a web page does: once the model has read one, calls of tools
   * that are not known to read only wait for approval. Default false.
   */
  readonly untrusted?: boolean
  /** Whether a result is the run's answer, as it stands: the model is not asked again. Default false. */
  readonly returnDirect?: boolean
  /** Whether pictures it returns are shown to the model, one that sees, in the next request. Default false: it reads references. */
  readonly show?: boolean
  /** Bytes of a result that the model reads whole: of a longer one it reads the ends, and can page through the rest. Default 64 KiB. */
  readonly maxResultBytes?: number
  /** Calls in a row with arguments that do not fit, or of a cut answer, before the run ends as stuck. Default 3. */
  readonly maxRejections?: number
  /** Asks the server to hold the model to the schema. Default false. */
  readonly strict?: boolean
}

export interface Rate {
  readonly calls: number
  readonly intervalMs: number
}

/** What a tool's function is told besides its arguments. */
export interface ToolContext<Context = unknown> {
  /** The run's dependencies, as given to `run`; never sent to the model. */
  readonly context: Context
  /** Aborts with the run, and at the tool's own deadline. */
  readonly signal: AbortSignal
  /** The run this call is of; a plain call has an id of its own. */
  readonly runId: string
  /** The call's own id, as the model or the server named it. */
  readonly callId: string
  /** Which answer of the model asked for this, from 0. */
  readonly step: number
  /** The same when the call is repeated after a crash: hand it to services that drop doubles. */
  readonly idempotencyKey: string
  /** Where bytes go: put them here, return the artifact, and the model sees a reference. */
  readonly artifacts: ArtifactStore
  /** Reports progress as a `tool-progress` event. */
  progress(value: unknown): void
  /**
   * Says what the call is about to use, before it does; it is counted with the run's usage. @throws CapstanError
   * `stopped` when a limit of the run would be passed: then the call must not do it
   */
  spend(spending: Spending): void
}

/** What settings must be, and what holds without them. */
const rules: Readonly<Record<string, readonly [use: string, fits: (value: unknown) => boolean]>> = {
  timeoutMs: [`1 to ${2 ** 31 - 1}, or leave it out for no deadline`, isWait],
  concurrency: ['a whole number from 1 up, or leave it out for no bound', isCount],
  rate: ['{ calls, intervalMs }, both from 1 up', isRate],
  effects: [
    '"read", or a function that names what a call writes',
    (value) => value === 'read' || isFunction(value),
  ],
  needsApproval: [
    'true, false, or a function of the arguments',
    (value) => isFlag(value) || isFunction(value),
  ],
  untrusted: ['true or false', isFlag],
  returnDirect: ['true or false', isFlag],
  show: ['true or false', isFlag],
  maxResultBytes: [
    'a whole number from 256 up, or leave it out for 64 KiB',
    (value) => isCount(value) && Number(value) >= 256,
  ],
  maxRejections: ['a whole number from 1 up, or leave it out for 3', isCount],
}

/**
 * Options of a tool, also from a caller without types. `known` are the names that there are.
 * @throws CapstanError `invalid_tool` for a name that servers refuse, or an option that could not be kept
 */
function checkOptions(options: Readonly<Record<string, unknown>>, known: readonly string[]): void {
  const { name, description, execute } = options
  if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    throw refusal(
      name,
      `"${name}" is no tool name that servers accept: use 1 to 64 letters, digits, "_" and "-"`,
    )
  }
  for (const option of Object.keys(options).filter((option) => !known.includes(option)))
    throw refusal(name, `Tool "${name}" has no option "${option}"; its options are: ${known.join(', ')}`)
  if (typeof description !== 'string')
    throw refusal(
      name,
      `Tool "${name}" has no description: say in words what it does, the model chooses by this`,
    )
  if (execute !== undefined && typeof execute !== 'function')
    throw refusal(name, `execute of tool "${name}" is no function: give the function that runs it`)
  for (const [setting, [use, fits]] of Object.entries(rules)) {
    const value = options[setting]
    if (value === undefined || fits(value)) continue
    const given = typeof value === 'object' || typeof value === 'string' ? JSON.stringify(value) : value
    throw refusal(name, `${setting} of tool "${name}" is ${given}: use ${use}`)
  }
}

/** A timer that is asked to wait longer than this does not wait at all. */
function isWait(value: unknown): boolean {
  return typeof value === 'number' && value > 0 && value < 2 ** 31
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0
}

function isRate(value: unknown): boolean {
  const { calls, intervalMs } = Object(value) as Readonly<Record<string, unknown>>
  return isCount(calls) && isWait(intervalMs)
}

function isFlag(value: unknown): boolean {
  return typeof value === 'boolean'
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

function refusal(name: unknown, message: string): CapstanError {
  return new CapstanError('invalid_tool', `${message}.`, { evidence: { name } })
}

/** Options of a plain call; `context`, as the function sees it, must be given when the function asks for one. */
export type CallOptions<Context = unknown> = CommonCallOptions &
  (unknown extends Context ? { readonly context?: Context } : { readonly context: Context })

/** What every plain call takes, whatever its context. */
interface CommonCallOptions {
  /** Default: a memory store of this call's own. */
  readonly artifacts?: ArtifactStore
  /** Ends the call at once, with its reason; a function that does not heed it goes on unheard. Default: none. */
  readonly signal?: AbortSignal
}

/** The argument itself: optional unless the function asks for a context. */
type CallArgument<Context> = unknown extends Context
  ? [options?: CallOptions<Context>]
  : [options: CallOptions<Context>]

interface Callable {
  readonly name: string
  readonly parameters: StandardSchemaV1
  readonly timeoutMs: number | undefined
  readonly execute: ((args: unknown, ctx: ToolContext) => unknown) | undefined
}

/** Calls a tool's function as a run would, without a run: arguments are checked, its deadline holds. */
async function plainCall(
  { name, parameters, timeoutMs, execute }: Callable,
  input: unknown,
  { context, artifacts = memoryArtifacts(), signal: given }: CallOptions = {},
): Promise<unknown> {
  if (!execute) {
    const message = `"${name}" has no function: its calls are answered by the caller of a run.`
    throw new CapstanError('unsupported', message, { evidence: { tool: name } })
  }
  const checked = await validate(parameters, input)
  if (!checked.ok) {
    const message = `Invalid arguments for "${name}": ${checked.issues.join('; ')}.`
    throw new CapstanError('invalid_arguments', message, { evidence: { tool: name, issues: checked.issues } })
  }
  const late = new AbortController()
  const { signal, release } = joinSignals([given, late.signal])
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(() => late.abort(tooLate(name, timeoutMs)), timeoutMs)
  const id = `call_${crypto.randomUUID()}`
  const ids = { runId: id, callId: id, idempotencyKey: id, step: 0 }
  try {
    signal.throwIfAborted()
    const work = execute(checked.value, {
      context,
      signal,
      artifacts,
      progress: ignore,
      spend: ignore,
      ...ids,
    })
    return await abortable(signal, settle(work, ignore, signal))
  } finally {
    clearTimeout(timer)
    release()
  }
}

function tooLate(name: string, timeoutMs: number): CapstanError {
  const message = `"${name}" did not finish within ${timeoutMs} ms. It may have taken effect.`
  return new CapstanError('timeout', message, { evidence: { tool: name, timeoutMs } })
}

function ignore(): void {}

/**
 * What a tool's function gave, to be waited for: a value, a promise, or a generator, whose yields are progress.
 * A generator ends at its first yield after an abort: else one that polls would go on for ever.
 */
export function settle(given: unknown, progress: (value: unknown) => void, signal: AbortSignal): unknown {
  return isGenerator(given) ? settleGenerator(given, progress, signal) : given
}

async function settleGenerator(
  given: AsyncGenerator | Generator,
  progress: (value: unknown) => void,
  signal: AbortSignal,
): Promise<unknown> {
  for (;;) {
    const { done, value } = await given.next()
    if (done) return value
    progress(value)
    if (signal.aborted) {
      await given.return(undefined)
      throw signal.reason
    }
  }
}

/** A generator, async or not; a list's iterator has no `throw`, and its values are no progress. */
function isGenerator(value: unknown): value is AsyncGenerator | Generator {
  if (typeof value !== 'object' || value === null || !('next' in value && 'throw' in value)) return false
  return Symbol.asyncIterator in value || Symbol.iterator in value
}

/** Any tool, whatever its types. */
export type AnyTool = Tool<ToolTypes>

type TypesOf<T> = T extends { readonly '~types'?: infer Types | undefined }
  ? Extract<Types, ToolTypes>
  : never

export type NameOf<T extends AnyTool> = TypesOf<T>['name']
/** What the model writes: the schema's input. */
export type ArgumentsOf<T extends AnyTool> = TypesOf<T>['input']
export type ResultOf<T extends AnyTool> = TypesOf<T>['result']

/** The context that all of these tools together ask for; `unknown` when none does. */
export type ContextOf<Tools extends readonly AnyTool[]> = Intersection<
  { [K in keyof Tools]: { asks: TypesOf<Tools[K]>['context'] } }[number]
>

type Intersection<U> = [U] extends [never]
  ? unknown
  : (U extends { asks: infer C } ? (context: C) => void : never) extends (context: infer I) => void
    ? I
    : unknown

/** The tools of one run, found by name. */
export interface Toolset {
  readonly tools: readonly Tool[]
  readonly names: readonly string[]
  readonly definitions: readonly ToolDefinition[]
  /** Changes when a name, a description or a schema does; the order of the tools does not count. */
  readonly hash: string
  get(name: string): Tool | undefined
}

/** Identifies tools in stored states. */
export interface ToolsIdentity {
  /** Changes when a tool does; the order of the tools does not count. */
  readonly definitionHash: string
  /** Returns the hash that states of earlier versions have for the same tools: it depends on their order. */
  readonly orderedHash?: () => string
}

/** Whether a stored `definitionHash` is that of these tools. */
export function isOfTools(stored: string, { definitionHash, orderedHash }: ToolsIdentity): boolean {
  return stored === definitionHash || stored === orderedHash?.()
}

/** @throws CapstanError `invalid_tool` when two tools have one name */
export function toToolset(tools: readonly Tool[]): Toolset {
  const byName = new Map<string, Tool>()
  for (const tool of tools) {
    if (byName.has(tool.name)) {
      const message = `Two tools are named "${tool.name}". Rename one: the model tells tools apart by their names alone.`
      throw new CapstanError('invalid_tool', message, { evidence: { name: tool.name } })
    }
    byName.set(tool.name, tool)
  }
  const definitions = tools.map((tool) => tool.definition)
  return {
    tools,
    names: [...byName.keys()],
    definitions,
    hash: hash(JSON.stringify(definitions.toSorted(byToolName))),
    get: (name) => byName.get(name),
  }
}

function byToolName({ function: one }: ToolDefinition, { function: other }: ToolDefinition): number {
  return one.name < other.name ? -1 : 1
}
