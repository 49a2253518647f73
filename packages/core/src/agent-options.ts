import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ArtifactStore } from './artifacts/artifact.js'
import type { Attachment } from './artifacts/attachments.js'
import { CapstanError } from './errors.js'
import { toLimits } from './limits.js'
import { checkSettings } from './model/request-body.js'
import type { OnCheckpoint } from './run/checkpoints.js'
import type {
  Compact,
  Instructions,
  PrepareStep,
  ShowOptions,
  StopCondition,
  StuckOptions,
  ToolChoice,
} from './run/run-context.js'
import type { SessionRef } from './sessions/session.js'
import type { Policy } from './tools/policies.js'
import type { OnToolError, ToolErrors } from './tools/rejections.js'
import type { AnyTool, ContextOf, Toolset } from './tools/tool.js'
import type { RunEvent } from './types/event.js'
import type { CreateHost, ModelOverride } from './types/host.js'
import type { ChatModel } from './types/model.js'
import type { Decisions, Limits } from './types/state.js'
import type { PriceTable } from './usage.js'

/** Takes every event of a run, at once. What it throws becomes a process warning and does not disturb the run. */
export type Observer = (event: RunEvent) => void

export interface AgentOptions<
  Tools extends readonly AnyTool[],
  Output extends StandardSchemaV1 | undefined = StandardSchemaV1 | undefined,
> {
  /** Default `agent`. Shown in events, kept in states. */
  readonly name?: string
  /** A model's name, for the service that the environment names, or a model. */
  readonly model: string | ChatModel
  /** The system message. */
  readonly instructions?: Instructions<ContextOf<Tools>>
  readonly tools?: Tools
  /**
   * The form of the answer, any schema that JSON can express: `result.output` has it when the run is done. A server
   * that can be asked for a form is asked for it, others get a tool `final_answer`. An answer of another form goes back
   * with what is wrong, three times at most: then the run ends as `stuck`. Default: words.
   */
  readonly output?: Output
  /** Default `auto`. A forced tool is forced once, then the model is free: else it would never end. */
  readonly toolChoice?: ToolChoice
  /** Default `{ steps: 20 }`. */
  readonly limits?: Limits
  /** Ends a run, as `condition`, when it is true after a turn of calls. Default: never. */
  readonly stopWhen?: StopCondition
  /** Whether a run that a limit or a standstill ends asks once more, without tools, for its best answer. Default true. */
  readonly landing?: boolean
  /** When a run that repeats itself is told so, loses a tool for a step, and ends. `false`: never. Default `{ tell: 1, withhold: 2, land: 3 }`. */
  readonly stuck?: StuckOptions | false
  /** Bounds of what is shown of pictures that tools with `show` return. Default: those of `ShowOptions`. */
  readonly show?: ShowOptions
  /** Looks at each call before it runs: the strictest verdict of several counts. Default: all may run. */
  readonly policy?: Policy<ContextOf<Tools>> | readonly Policy<ContextOf<Tools>>[]
  /**
   * Whether, once the model has read what an `untrusted` tool brought, calls of tools that may change things are
   * asked about. `false`: this agent's calls are not. Its callers learn what it read all the same. Default true.
   */
  readonly taint?: boolean
  /** Shortens the history for each request: `trimHistory(...)`, `summarizeHistory(...)` or your own. Default: it is sent whole. */
  readonly compact?: Compact
  /** Prices by model, for `usage.cost` and `limits.cost`. Default: costs are not counted. */
  readonly price?: PriceTable
  /** Bound on one answer of the model, retries included, and on calls of tools without a `timeoutMs`. Default: none. */
  readonly stepTimeoutMs?: number
  readonly prepareStep?: PrepareStep<ContextOf<Tools>>
  /**
   * `safe` mends arguments where there is one way to read them: a code fence, a trailing comma, Python's literals,
   * `"1"` for a number, `null` for what is optional, one value for a list. Default: they go back to the model.
   */
  readonly repair?: 'safe'
  /**
   * Which errors of tools the model reads. `all`: the message of each, with credentials replaced. `expected`: the
   * message of a `ToolError`; of any other error only that the tool failed, with the event's `errorId`. Default `all`.
   */
  readonly toolErrors?: ToolErrors['shown']
  readonly onToolError?: OnToolError
  /** Calls that run at one time in a run. Default 8. */
  readonly concurrency?: number
  readonly observe?: Observer
  /** Takes the state of each run before every step and at its end, to be kept. The run waits for it. */
  readonly onCheckpoint?: OnCheckpoint
  /** Where artifacts live. Default: in memory, as long as the agent. */
  readonly artifacts?: ArtifactStore
  /** Further fields of every request, such as `temperature`. */
  readonly settings?: Readonly<Record<string, unknown>>
}

/** Options of a run; `context` must be given when a tool asks for one. */
export type RunOptions<Context = unknown> = CommonRunOptions &
  (unknown extends Context ? { readonly context?: Context } : { readonly context: Context })

/** What every run takes, whatever its context. */
export interface CommonRunOptions {
  readonly signal?: AbortSignal
  /**
   * Asked in place of every model of this run: the agent's own, those of agents that answer its calls or go on with
   * it, and those that `prepareStep` or a summary name. A function is given each of them, and whose it is.
   */
  readonly model?: ChatModel | ModelOverride
  /** In place of the agent's own; forced once. */
  readonly toolChoice?: ToolChoice
  /** Further tools, for this run alone. */
  readonly tools?: readonly AnyTool[]
  /** Things of the user's: they become artifacts, and references at the end of the user's message. */
  readonly attachments?: readonly Attachment[]
  /** Laid over the agent's, or over those of the state that is gone on with. */
  readonly limits?: Limits
  /**
   * Names the untrusted source of text in the input, a mail for example: the run is tainted by it from its start.
   * `false`: results of tools that no agent of the run has are trusted. Default: tainted by the first result of an
   * untrusted tool, or of one that no agent of the run has. A state that is tainted stays so.
   */
  readonly taintedBy?: string | false
  /** The conversation that the run goes on with, and adds to when it ends. Default: none. */
  readonly session?: SessionRef
  /**
   * Decisions on the state's pending calls, by call id. Decisions inside a state (`state.decisions`) do not count by
   * themselves: pass them here when the state comes from a store that only your application writes.
   */
  readonly decisions?: Decisions | undefined
  /**
   * Nobody can be asked in this run: calls that need a yes are denied, in agents within it as well, and the model is
   * told. Calls of tools without a function are the caller's all the same. Default false.
   */
  readonly unattended?: boolean
  /** Leaves the agents' own `observe` and `onCheckpoint` alone: for a run that is gone through once more. Default false. */
  readonly silent?: boolean
  /** Goes on with a state though the agent's tools have changed since. Default false. */
  readonly allowChangedTools?: boolean
  readonly observe?: Observer
  /** Besides the agent's own. */
  readonly onCheckpoint?: OnCheckpoint
  /**
   * The store of this run's artifacts, and of those of its child runs. A resumed run needs it again. Default: the
   * agent's store.
   */
  readonly artifacts?: ArtifactStore
  readonly settings?: Readonly<Record<string, unknown>>
  /** Default: random. */
  readonly runId?: string
  /** Who runs the steps. Default: this process, in memory. */
  readonly host?: CreateHost
}

/** What is said of a run before it is run: what else it takes is given to the run itself. */
export type PrepareOptions = Pick<
  CommonRunOptions,
  'allowChangedTools' | 'artifacts' | 'attachments' | 'decisions' | 'limits' | 'runId'
>

/** The argument itself: optional unless a tool asks for a context. */
export type OptionsArgument<Context, Further = unknown> = unknown extends Context
  ? [options?: RunOptions<Context> & Further]
  : [options: RunOptions<Context> & Further]

/** Refuses an agent's options that would fail, or do nothing, in the middle of a run. @throws CapstanError */
export function checkOptions(options: AgentOptions<readonly AnyTool[]>, toolset: Toolset): void {
  const { concurrency = 1, stepTimeoutMs = 1, stuck = {}, toolErrors = 'all' } = options
  toLimits(options.limits)
  checkSettings(options.settings)
  checkToolChoice(options.toolChoice ?? 'auto', toolset)
  if (stuck) checkStuck(stuck)
  if (!['all', 'expected'].includes(toolErrors))
    throw invalid('toolErrors', toolErrors, '"all" or "expected"')
  if (!isCount(concurrency)) throw invalid('concurrency', concurrency, 'a whole number from 1 up')
  const isTime = stepTimeoutMs > 0 && stepTimeoutMs < 2 ** 31
  if (!isTime)
    throw invalid('stepTimeoutMs', stepTimeoutMs, `1 to ${2 ** 31 - 1}, or leave it out for no bound`)
}

/** Refuses a bound on costs that nobody can keep. @throws CapstanError `invalid_request` */
export function checkCost({ cost }: Limits, price: PriceTable | undefined, model: string): void {
  if (cost === undefined || (price && Object.hasOwn(price, model))) return
  const message = `limits.cost cannot be kept: there is no price for "${model}". Add it to the agent's price table.`
  throw new CapstanError('invalid_request', message, { evidence: { model } })
}

/** Refuses to force a tool that is not there. @throws CapstanError `unknown_tool` */
export function checkToolChoice(choice: ToolChoice, { names }: Toolset): void {
  const name = typeof choice === 'string' ? choice : choice.function.name
  if (['auto', 'none', 'required', ...names].includes(name)) return
  const message = `toolChoice names "${name}", which is no tool of this agent. Its tools are: ${names.join(', ')}.`
  throw new CapstanError('unknown_tool', message, { evidence: { name } })
}

function checkStuck(stuck: StuckOptions): void {
  for (const stage of ['tell', 'withhold', 'land'] as const) {
    const turns = stuck[stage] ?? 1
    if (!isCount(turns))
      throw invalid(`stuck.${stage}`, turns, 'a whole number from 1 up, or Infinity for never')
  }
}

function isCount(value: unknown): boolean {
  return value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && (value as number) > 0)
}

function invalid(name: string, value: unknown, instead: string): CapstanError {
  return new CapstanError('invalid_request', `${name} is ${String(value)}: use ${instead}.`, {
    evidence: { option: name },
  })
}
