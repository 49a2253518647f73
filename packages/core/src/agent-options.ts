import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ArtifactStore } from './artifacts/artifact.js'
import { CapstanError } from './errors.js'
import { isRecord } from './json.js'
import { toLimits } from './limits.js'
import { checkModel } from './model/chat-model.js'
import { checkSettings, type ModelSettings } from './model/request-body.js'
import { checkOptionNames, isCount, isFunction, isWait, kindOf, type OptionKind } from './option-names.js'
import type { StepResult } from './result.js'
import type { Attachment, Feature, OptionKinds, PrepareStep, StopCondition } from './run/feature.js'
import type { OnCheckpoint } from './run/memory-host.js'
import type { Instructions, Middleware, ToolChoice } from './run/middleware.js'
import type { SessionRef } from './sessions/session.js'
import type { Policy } from './tools/policies.js'
import type { OnToolError, ToolErrors } from './tools/rejections.js'
import type { Repair } from './tools/repair.js'
import type { AnyTool, ContextOf, Toolset } from './tools/tool.js'
import type { RunEvent } from './types/event.js'
import type { CreateHost, ModelOverride } from './types/host.js'
import type { ChatModel } from './types/model.js'
import type { AnyStep, Decisions, Limits } from './types/state.js'
import { type PriceTable, priced } from './usage.js'

/** Receives every event of a run synchronously. An error it throws becomes a process warning; the run continues. */
export type Observer = (event: RunEvent) => void

/** The tools of an agent, and those that its middlewares add. */
export type ToolsOf<
  Tools extends readonly AnyTool[],
  Added extends readonly Middleware[],
> = Added extends readonly [] ? Tools : readonly (Tools[number] | AddedTool<Added[number]>)[]

type AddedTool<One extends Middleware> = One extends { readonly tools: infer Tools }
  ? ListOf<Tools> extends readonly AnyTool[]
    ? ListOf<Tools>[number]
    : never
  : never

type ListOf<Tools> = Tools extends (run: never) => infer Made ? Made : Tools

export interface AgentOptions<
  Tools extends readonly AnyTool[],
  Output extends StandardSchemaV1 | undefined = StandardSchemaV1 | undefined,
  Added extends readonly Middleware[] = readonly Middleware[],
> {
  /** Shown in events and stored in states. Default `agent`. */
  readonly name?: string
  /** A model, or the name of a model of the service that `OPENAI_BASE_URL` names. */
  readonly model: string | ChatModel
  /** The system message. */
  readonly instructions?: Instructions<ContextOf<Tools>>
  readonly tools?: Tools
  /**
   * Features of its runs, the first outermost; those of the other options come before them. One with the name of a
   * default replaces it: `without(name)` turns it off.
   */
  readonly middleware?: Added | readonly Middleware[]
  /**
   * The schema of the final reply, any that JSON can express: `result.output` has the value when the run is done.
   * A server with structured output receives the schema; other servers receive a tool `final_answer`. A reply that
   * does not match goes back with what is wrong. After 3 such replies the run ends as `stuck`. Default: text.
   */
  readonly output?: Output
  /** Default `auto`. A tool is forced in one request only; otherwise the run would never end. */
  readonly toolChoice?: ToolChoice
  /** Default `{ steps: 20 }`. */
  readonly limits?: Limits
  /** Ends a run as `condition` when it returns true after a step; of a list, when one does. Default: never. */
  readonly stopWhen?: StopCondition | readonly StopCondition[]
  /**
   * What happens once a run when the server has read only a part of a request, as its token counts show. `warn`: a
   * warning on the result. `compact`: the history is shortened and the model asked again. `stop`: the run ends as
   * `condition` before its next request. Default `warn`.
   */
  readonly onContextLost?: 'warn' | 'compact' | 'stop'
  /** Decides on each call before it runs. The strictest verdict counts. Default: all calls may run. */
  readonly policy?: Policy<ContextOf<Tools>> | readonly Policy<ContextOf<Tools>>[]
  /** Prices by model, for `usage.cost` and `limits.cost`. Default: costs are not counted. */
  readonly price?: PriceTable
  /** Timeout in ms of one reply, retries included, and of calls of tools without `timeoutMs`. Default: none. */
  readonly stepTimeoutMs?: number
  readonly prepareStep?: PrepareStep<ContextOf<Tools>>
  /**
   * `safeRepair` repairs arguments that can be read in one way only: a code fence, a trailing comma, Python literals,
   * `"1"` for a number, `null` for an optional value, one value for a list. Default: they go back to the model.
   */
  readonly repair?: Repair
  /**
   * The tool errors that the model reads. `all`: every message, with credentials replaced. `expected`: the message of
   * a `ToolError`; for other errors only that the tool failed, with the event's `errorId`. Default `all`.
   */
  readonly toolErrors?: ToolErrors['shown']
  readonly onToolError?: OnToolError
  /** The number of calls of a run that may run at once. Default 8. */
  readonly concurrency?: number
  readonly observe?: Observer
  /**
   * Receives each step when its calls have finished, as `result.steps` has it. Not those of child runs. The run does
   * not wait for it; an error becomes a process warning. A durable run that is replayed calls it again.
   */
  onStep?(step: StepResult<ToolsOf<Tools, Added>>): unknown
  /** Receives the state of each run before every step and at its end. The run waits for it. */
  readonly onCheckpoint?: OnCheckpoint
  /** The store of artifacts. Default: in memory, for the life of the agent. */
  readonly artifacts?: ArtifactStore
  /** Additional fields of every request, such as `temperature`. Default: none. */
  readonly settings?: ModelSettings
  /** Further features. Default: none, besides those of its entry: all of `@capstan/core`, none of `@capstan/core/lean`. */
  readonly features?: readonly Feature[]
}

/** Options of a run. `context` is required when a tool or a middleware declares one. */
export type RunOptions<
  Context = unknown,
  Tools extends readonly AnyTool[] = readonly AnyTool[],
> = CommonRunOptions &
  ContextOptions<Context> &
  StepOptions<Tools> &
  (unknown extends Context ? { readonly context?: Context } : { readonly context: Context })

/** Options of a run that get its context. */
export interface ContextOptions<Context> {
  /** Replaces the agent's own. Child agents, and agents that take over, keep theirs. */
  readonly instructions?: string | Loosely<Context, string | Promise<string>>
  /** Judges each call in addition to the agents' own policies, in child runs too: the strictest verdict counts. */
  readonly policy?: LoosePolicy<Context> | readonly LoosePolicy<Context>[]
}

/** Methods, whose parameters TypeScript compares less strictly: an agent of any context is an `AnyAgent`. */
type Loosely<Context, Result> = { of(context: Context): Result }['of']
type LoosePolicy<Context> = { of(...given: Parameters<Policy<Context>>): ReturnType<Policy> }['of']

interface StepOptions<Tools extends readonly AnyTool[]> {
  /** Called in addition to the agent's own, in the same way. */
  onStep?(step: StepResult<Tools>): unknown
}

/** Options of every run, whatever its context. */
export interface CommonRunOptions {
  readonly signal?: AbortSignal
  /**
   * Replaces every model of this run: the agent's own, those of child agents and handoffs, and those that
   * `prepareStep` or a summary name. A function receives each model and the name of its agent.
   */
  readonly model?: ChatModel | ModelOverride
  /** Replaces the agent's own. A tool is forced once. */
  readonly toolChoice?: ToolChoice
  /** Additional tools of this run. */
  readonly tools?: readonly AnyTool[]
  /** Files of the user. They become artifacts, referenced at the end of the user's message. */
  readonly attachments?: readonly Attachment[]
  /** Merged over the agent's limits, or over those of the resumed state. */
  readonly limits?: Limits
  /**
   * Names the untrusted source of text in the input, such as a mail: the run is tainted from its start.
   * `false` trusts results of tools that no agent of the run has. Default: tainted by the first result of an
   * untrusted tool, or of a tool that no agent of the run has. A tainted state stays tainted.
   */
  readonly taintedBy?: string | false
  /** The conversation that the run continues and appends to when it ends. Default: none. */
  readonly session?: SessionRef
  /**
   * Decisions on the state's pending calls, by call id. Decisions inside a state (`state.decisions`) do not count by
   * themselves: pass them here when the state comes from a store that only your application writes.
   */
  readonly decisions?: Decisions | undefined
  /**
   * No person is there to approve calls: calls that need approval are denied, in child runs too, and the model is
   * told. Calls of tools without a function stay with the caller. Default false.
   */
  readonly unattended?: boolean
  /** Skips the agents' own `observe` and `onCheckpoint`, for a run that is replayed. Default false. */
  readonly silent?: boolean
  /** Resumes a state even though the agent's tools have changed since. Default false. */
  readonly allowChangedTools?: boolean
  readonly observe?: Observer
  /** Called in addition to the agent's own. */
  readonly onCheckpoint?: OnCheckpoint
  /**
   * The store of this run's artifacts, and of those of its child runs. A resumed run needs it again. Default: the
   * agent's store.
   */
  readonly artifacts?: ArtifactStore
  /** Merged over those of the agent, and of agents that take over. */
  readonly settings?: ModelSettings
  /** Default: random. */
  readonly runId?: string
  /** The host that runs the steps. Default: this process, in memory. */
  readonly host?: CreateHost
}

/** Options of `stream`, in addition to those of a run. */
export interface StreamOptions {
  /** Waits for decisions given by `decide`, instead of ending as pending. Default false. */
  readonly wait?: boolean
  /** Continues the run when the reader leaves the iteration, instead of aborting it. Default false. */
  readonly detach?: boolean
}

/** The options of `prepare`. All others are options of the run itself. */
export type PrepareOptions = Pick<
  CommonRunOptions,
  'allowChangedTools' | 'artifacts' | 'attachments' | 'decisions' | 'limits' | 'runId'
>

/** The options argument: optional unless a tool declares a context. */
export type OptionsArgument<
  Context,
  Tools extends readonly AnyTool[],
  Further = unknown,
> = unknown extends Context
  ? [options?: RunOptions<Context, Tools> & Further]
  : [options: RunOptions<Context, Tools> & Further]

/** The options that an agent and a run have in common. */
const commonKinds = {
  model: true,
  instructions: [
    'a string or a function',
    (value: unknown) => typeof value === 'string' || isFunction(value),
  ],
  tools: 'a list: [one, two]',
  toolChoice: true,
  limits: 'an object',
  observe: 'a function',
  onStep: 'a function',
  onCheckpoint: 'a function',
  artifacts: 'memoryArtifacts()',
  settings: 'an object',
} as const

/** The options of an agent that no feature reads. */
const agentKinds = {
  name: 'a string',
  ...commonKinds,
  middleware: true,
  features: true,
  price: ['prices by model, such as { "gpt-5": { inputTokens: 1e-6, outputTokens: 8e-6 } }', isRecord],
  stepTimeoutMs: [`1 to ${2 ** 31 - 1}, or leave it out for no timeout`, isWait],
  repair: [
    'safeRepair, after import { safeRepair } from "@capstan/core"',
    (value: unknown) => isFunction(Object(value).coerce),
  ],
  toolErrors: ['"all" or "expected"', (value: unknown) => value === 'all' || value === 'expected'],
  onToolError: 'a function',
  concurrency: ['a whole number from 1 up', isCount],
} as const satisfies Partial<Record<keyof AgentOptions<readonly AnyTool[]>, OptionKind>>

/** The options of a run that no feature reads. */
const runKinds = {
  context: true,
  signal: 'controller.signal',
  ...commonKinds,
  unattended: 'true or false',
  silent: 'true or false',
  runId: 'a string',
  host: 'a function',
} as const satisfies Partial<Record<keyof RunOptions, OptionKind>>

/** The options of agents with some features, and of their runs. */
export interface KnownOptions {
  readonly agent: OptionKinds
  readonly run: OptionKinds
  /** Returns the feature that an unknown option or setting needs, where it is known. */
  readonly featureOf?: FeatureOf | undefined
}

/** Names the feature that an option, a setting of a tool or a method needs: `sessions()`. */
export type FeatureOf = (option: string) => string | undefined

export function knownOptions(features: readonly Feature[], featureOf?: FeatureOf): KnownOptions {
  const kinds = (of: 'agentOptions' | 'runOptions') => features.map((one) => one[of])
  return {
    agent: Object.assign({}, agentKinds, ...kinds('agentOptions')),
    run: Object.assign({}, runKinds, ...kinds('runOptions')),
    featureOf,
  }
}

/** Rejects invalid options of a run. @throws CapstanError `invalid_request` */
export function checkRunOptions(options: object, { agent, run, featureOf }: KnownOptions): void {
  if (options instanceof AbortSignal) throw invalid('options', 'an AbortSignal', '{ signal }')
  checkKnown(options, run, featureOf)
  checkOptionNames(options, run, { of: 'A run', elsewhere: ['new Agent(...)', agent] })
}

/** Rejects invalid options of an agent, before anything reads them. @throws CapstanError `invalid_request` */
export function checkAgentOptions(options: object, { agent, run, featureOf }: KnownOptions): void {
  checkKnown(options, agent, featureOf)
  checkOptionNames(options, agent, { of: 'An agent', elsewhere: ['agent.run', run] })
  const { model } = options as { readonly model?: unknown }
  if (typeof model !== 'string') checkModel(model)
}

function checkKnown(options: object, known: OptionKinds, featureOf: FeatureOf | undefined): void {
  if (!featureOf) return
  for (const name of Object.keys(Object(options)))
    if (!Object.hasOwn(known, name)) checkFeature(name, featureOf)
}

/** @throws CapstanError `unsupported` for what needs a feature that is not there */
export function checkFeature(what: string, featureOf: FeatureOf | undefined): void {
  const feature = featureOf?.(what)
  if (!feature) return
  const message = `${what} needs a feature. Add ${feature} of @capstan/core/lean to features.`
  throw new CapstanError('unsupported', message, { evidence: { option: what } })
}

/** Rejects options that would fail, or have no effect, in the middle of a run. @throws CapstanError */
export function checkOptions(options: AgentOptions<readonly AnyTool[]>, toolset: Toolset): void {
  toLimits(options.limits)
  checkPrices(options.price)
  checkSettings(options.settings)
  checkToolChoice(options.toolChoice ?? 'auto', toolset)
}

/** Returns an observer that passes the steps of a run on, without those of child runs. */
export function stepObserver(onStep: ((step: AnyStep) => unknown) | undefined): Observer | undefined {
  return onStep && ((event) => event.type === 'step-end' && !event.parentCallId && onStep(event.result))
}

const amount = [
  'a number from 0 up',
  (value: unknown) => Number.isFinite(value) && Number(value) >= 0,
] as const
const units = Object.fromEntries(Object.keys(priced).map((unit) => [unit, amount] as const))

/** Rejects prices with unknown names or invalid values, which would make a cost unknown or wrong. */
function checkPrices(table: PriceTable = {}): void {
  for (const [model, price] of Object.entries(table))
    checkOptionNames(price, units, { of: `The price of "${model}"` })
}

/** Rejects a cost limit without a price for the model. @throws CapstanError `invalid_request` */
export function checkCost({ cost }: Limits, price: PriceTable | undefined, model: string): void {
  if (cost === undefined || (price && Object.hasOwn(price, model))) return
  const message = `limits.cost needs a price for "${model}". Add it to the agent's price table.`
  throw new CapstanError('invalid_request', message, { evidence: { model } })
}

/** Rejects a forced tool that the agent does not have. @throws CapstanError `unknown_tool` */
export function checkToolChoice(choice: ToolChoice, { names }: Toolset): void {
  const name: unknown = typeof choice === 'string' ? choice : Object(choice).function?.name
  if (typeof name !== 'string')
    throw invalid('toolChoice', kindOf(choice), '"auto", "none", "required" or the name of a tool')
  if (['auto', 'none', 'required', ...names].includes(name)) return
  const message = `toolChoice names "${name}", which this agent does not have. Tools: ${names.join(', ')}.`
  throw new CapstanError('unknown_tool', message, { evidence: { name } })
}

function invalid(name: string, value: unknown, instead: string): CapstanError {
  return new CapstanError('invalid_request', `${name} is ${String(value)}: use ${instead}.`, {
    evidence: { option: name },
  })
}
