import {
  Agent,
  type AnyAgent,
  type AnyTool,
  type Artifact,
  type ArtifactStore,
  CapstanError,
  type CreateHost,
  type HostStep,
  isCapstanError,
  type Limits,
  type Message,
  type Middleware,
  memoryHost,
  type RunInput,
  type RunOptions,
  type RunResult,
  type RunState,
  readArtifact,
  type Step,
  type StepContext,
  type Tool,
  type ToolContext,
} from '@capstan/core'
import { AgentCore, type CommonOptions, coreOf, type Outcome, wrapHost } from '@capstan/core/internal'
import { diff } from '../diff.js'
import { agentOfRecording, withAgentResults } from './agent-of-recording.js'
import { isChildKey, type RecordedEnd, type RecordedStart, withoutDuration, withRunId } from './format.js'
import { type RunRecording, readRuns } from './read.js'
import { matches, RecordingRedactor, replayRuns } from './replay-model.js'

/** The run options that a replay needs again, because recordings do not contain them. */
type RepeatedOptions = Omit<
  CommonOptions,
  'model' | 'host' | 'runId' | 'signal' | 'session' | 'decisions' | 'attachments' | 'allowChangedTools'
> &
  Pick<RunOptions, 'instructions' | 'policy'>

/** Options for `replayRun`: which recorded runs to replay, and with what. */
export interface ReplayOptions {
  /** The number of the run to replay, starting at 1. Default: all runs in the file. */
  readonly run?: number
  /** The agent to check against the recording. Default: an agent built from the recording. */
  readonly agent?: AnyAgent
  /**
   * `recorded`: calls are validated, policies and approvals are evaluated, and recorded results replace the functions.
   * `run`: the functions of the agent and its child agents run. Default `recorded`.
   */
  readonly tools?: 'recorded' | 'run'
  /** The context for tools and policies. Default: none. */
  readonly context?: unknown
  /**
   * The options that the recorded runs were started with, such as `settings`, `limits` or `tools`. If you set this
   * option, also pass `agent`. Default: none.
   */
  readonly options?: RepeatedOptions
}

/**
 * Replays recorded runs without a model and, by default, without running the tools' functions. Checks that every
 * request is the same, every call is allowed or rejected as before, and the run ends in the same way. Returns the runs'
 * results, except for runs that failed as they did when they were recorded.
 * @throws CapstanError `not_found` for a request that is not in the recording; `conflict` with a diff for a call or an
 * end that differs; `unsupported` for a run that cannot be replayed. If something differs, the error's `evidence`
 * contains the step key as `at`, and both sides as `expected` and `seen`
 */
export async function replayRun(file: string, options: ReplayOptions = {}): Promise<readonly RunResult[]> {
  if (!options.agent && (options.tools === 'run' || options.options)) throw agentRequiredError()
  const results: RunResult[] = []
  for (const run of selectedRuns(file, options.run)) {
    const result = await replayOne(run, file, options)
    if (result) results.push(result)
  }
  return results
}

/** Returns the runs to replay. @throws CapstanError `not_found` if the file does not contain the run */
function selectedRuns(file: string, number: number | undefined): readonly RunRecording[] {
  const runs = readRuns(file)
  const found = number === undefined ? runs : runs.filter((run) => run.number === number)
  if (found.length > 0 || number === undefined) return found
  const numbers = runs.map((run) => run.number)
  const message = `"${file}" contains no run ${number}. It contains: ${numbers.join(', ')}.`
  throw new CapstanError('not_found', message, { evidence: { file, runs: numbers } })
}

async function replayOne(
  run: RunRecording,
  file: string,
  options: ReplayOptions,
): Promise<RunResult | undefined> {
  const { begin, end } = checkRepeatable(run, file, options)
  const { agent, further, host, limits } = prepareReplay(run, file, options)
  if (begin.messages && begin.agent !== agent.name) throw agentNameError(begin.agent, agent.name, file)
  const exchanges = run.exchanges.filter(({ at }) => options.tools === 'run' || !isChildKey(at))
  const model = replayRuns([{ ...run, exchanges }], file)
  const runId = begin.runId ?? crypto.randomUUID()
  const context = options.context as never
  const { decisions } = begin.state ?? {}
  const given = { ...options.options, ...further, limits, context, runId, decisions, allowChangedTools: true }
  const finish = (state: RunState | undefined, stopReason: RecordedEnd['stopReason']) => {
    compareEnds({ ...end, limits: begin.limits }, state && { ...state, stopReason }, file)
    model.assertUsedUp()
    host.assertUsedUp()
  }
  try {
    const result = await agent.run(toInput(begin, runId), { ...given, model, host: host.bind })
    finish(result.state, result.state.stopReason ?? 'done')
    return result
  } catch (error) {
    if (!isCapstanError(error) || !model.isRecorded(error)) throw error
    finish(error.state, 'error')
    return undefined
  }
}

/** Returns the agent, tools and host for a replay. */
function prepareReplay(run: RunRecording, file: string, { agent: own, tools, options = {} }: ReplayOptions) {
  if (!own) {
    const host = new ReplayHost(withAgentResults(run), file, 'nothing')
    return { agent: agentOfRecording(run), host, limits: run.begin?.limits ?? {}, further: {} }
  }
  const { tools: further = [], limits = {} } = options
  const host = new ReplayHost(run, file, tools === 'run' ? 'all' : 'guards')
  if (tools === 'run') return { agent: own, host, limits, further: {} }
  const { artifacts, ...replaced } = replaceFunctions(own, further, host.answer, options.artifacts)
  return { agent: replaced.agent, host, limits, further: { tools: replaced.further, artifacts } }
}

function agentRequiredError(): CapstanError {
  const message = "`tools: 'run'` and `options` require an agent: replayRun(file, { agent, tools: 'run' })."
  return new CapstanError('invalid_request', message)
}

function agentNameError(recorded: string, seen: string, file: string): CapstanError {
  const message = `"${file}" was recorded with the agent "${recorded}", not "${seen}". If the change is intended, record it again.`
  return new CapstanError('conflict', message, { evidence: { file, at: 'begin', expected: recorded, seen } })
}

/** Returns a run's start and end. @throws CapstanError `unsupported` if the run is incomplete or cannot be replayed */
function checkRepeatable(run: RunRecording, file: string, { tools }: ReplayOptions) {
  const { begin, end } = run
  const why = unrepeatableReason(run, tools)
  if (begin && end && why === undefined) return { begin, end }
  const message = `Run ${run.number} in "${file}" cannot be replayed: ${why}.`
  throw new CapstanError('unsupported', message, { evidence: { file, run: run.number } })
}

function toInput({ messages = [], state }: RecordedStart, runId: string): RunInput {
  return state ? withRunId({ ...state, runId }, runId) : withRunId(messages, runId)
}

type EndFacts = Pick<RecordedEnd, 'stopReason' | 'limit' | 'steps' | 'usage' | 'messages'> & {
  readonly limits: Limits
}

/** A run's final state. The run may have failed. */
type EndState = Omit<RunState, 'stopReason'> & { readonly stopReason: RecordedEnd['stopReason'] }

/** Compares a run's end with the recorded one. @throws CapstanError `conflict` if they differ */
function compareEnds(end: EndFacts, state: EndState | undefined, file: string): void {
  const asRecorded = new RecordingRedactor()
  const live = state && asRecorded.value(comparableFacts({ ...state, steps: state.stepCount }), state.runId)
  // A secret that is known now may not have been known when the run was recorded.
  const recorded = asRecorded.value(comparableFacts(end), '')
  if (matches(recorded, live)) return
  const message = `The run did not end as it did in "${file}":\n${diff(recorded, live)}\nIf the change is intended, record it again.`
  const evidence = { file, at: 'end', expected: recorded, seen: live }
  throw new CapstanError('conflict', message, { evidence })
}

/** Returns what to compare at a run's end. Omits cost and time, because they vary. */
function comparableFacts({ stopReason, limit, limits, steps, usage, messages }: EndFacts) {
  const { cost: _, seconds: __, ...counts } = usage
  return { stopReason, ...(limit ? { limit } : {}), limits, steps, usage: counts, messages }
}

/**
 * What runs in a replay. `nothing`: calls return their recorded results. `guards`: calls are validated, policies and
 * approvals are evaluated, and recorded results replace the functions. `all`: functions run, and only decisions come
 * from the recording.
 */
type ReplayMode = 'nothing' | 'guards' | 'all'

interface ReplayedCall {
  readonly came: Outcome
  isReached: boolean
}

/** What a function returned in the recorded run, and the artifacts that it created. */
interface RecordedResult {
  readonly output: unknown
  readonly artifacts: readonly Artifact[]
}

/** Creates hosts that return recorded results and decisions. Tracks which of them have been used. */
class ReplayHost {
  readonly #file: string
  readonly #mode: ReplayMode
  readonly #outcomes: Map<string, RunRecording['outcomes']>
  readonly #given: Map<string, RunRecording['given']>
  readonly #nows: number[]
  readonly #calls = new Map<string, ReplayedCall>()

  constructor(run: RunRecording, file: string, mode: ReplayMode) {
    this.#file = file
    this.#mode = mode
    this.#outcomes = groupByKey(mode === 'all' ? [] : run.outcomes)
    this.#given = groupByKey(run.given)
    this.#nows = [...run.nows]
  }

  readonly bind: CreateHost = (binding) => {
    const start = Date.now()
    const recorded = <T>(step: Step<T>): Step<T> =>
      this.#mode === 'all' || isModelStep(step)
        ? step
        : { key: step.key, run: (context) => this.#recorded(step, binding.runId, context) }
    const waitFor = async <T>(key: string): Promise<T | undefined> => {
      const found = this.#given.get(key)?.shift()
      return found && (withRunId(found.given, binding.runId) as T)
    }
    return wrapHost(memoryHost(binding), {
      run: recorded,
      child: recorded,
      waitFor,
      ...(this.#mode === 'all' ? {} : { now: async () => start + (this.#nows.shift() ?? 0) }),
    })
  }

  /**
   * Returns what a call's function returned in the recording.
   * @throws the error that the function threw in the recording
   */
  readonly answer: ReplacedFunctions = ({ runId, callId }) => {
    const call = this.#calls.get(`${runId}/${callId}`)
    if (!call) return { output: undefined, artifacts: [] }
    call.isReached = true
    const artifacts = 'artifacts' in call.came ? call.came.artifacts : undefined
    return { output: recordedOutput(call.came), artifacts: artifacts ?? [] }
  }

  /**
   * Checks that all recorded results and decisions were used.
   * @throws CapstanError `conflict`, naming those that were not used
   */
  assertUsedUp(): void {
    const left = [...this.#outcomes.values(), ...this.#given.values()].flat().map(({ at }) => at)
    if (left.length === 0) return
    const message = `The run did not reach these steps of "${this.#file}": ${left.join(', ')}. If the change is intended, record it again.`
    throw new CapstanError('conflict', message, { evidence: { file: this.#file, left: left.length } })
  }

  async #recorded<T>(step: Step<T>, runId: string, context: StepContext): Promise<T> {
    const at = step.key
    const found = this.#outcomes.get(at)?.shift()
    if (!found) {
      const message = `The run reached ${at}, but "${this.#file}" contains no result for it.`
      throw new CapstanError('conflict', message, { evidence: { file: this.#file, at } })
    }
    const came = withRunId(found.outcome.came, runId)
    if (this.#mode === 'nothing' || !('run' in step) || isArtifactReader(step)) return came as T
    const call: ReplayedCall = { came, isReached: false }
    this.#calls.set(`${runId}/${step.options?.callId}`, call)
    const live = (await step.run(context)) as Outcome
    return checkOutcome(call, live, { file: this.#file, at, runId }) as T
  }
}

interface CallPosition {
  readonly file: string
  readonly at: string
  readonly runId: string
}

/**
 * Returns a call's outcome.
 * @throws CapstanError `conflict` if the checks before the call had a different outcome in the recording
 */
function checkOutcome(
  { came, isReached }: ReplayedCall,
  live: Outcome,
  { file, at, runId }: CallPosition,
): Outcome {
  if (isReached && executedStatuses.has(came.status)) return came
  const evidence = { file, at }
  if (isReached) {
    const message = `The call at ${at} would run now, but in "${file}" it was ${came.status}: the checks before the call have changed. If the change is intended, record it again.`
    throw new CapstanError('conflict', message, {
      evidence: { ...evidence, expected: came, seen: 'it runs' },
    })
  }
  const recorded = new RecordingRedactor()
  const [expected, seen] = [came, withoutDuration(live)].map((one) => recorded.value(one, runId))
  if (matches(expected, seen)) return live
  const message = `Before its function runs, the call at ${at} has a different outcome from the one in "${file}":\n${diff(expected, seen)}\nIf the change is intended, record it again.`
  throw new CapstanError('conflict', message, { evidence: { ...evidence, expected, seen } })
}

/** A call with one of these statuses has passed the checks before it. `paused`: the function asked a question. */
const executedStatuses: ReadonlySet<string> = new Set(['ok', 'error', 'cut_off', 'not_run', 'paused'])

function recordedOutput(came: Outcome): unknown {
  if (!('content' in came)) return undefined
  if (came.status === 'ok') return came.result ?? came.content
  throw new Error(came.content.replace(/^Error: /, ''))
}

function groupByKey<Item extends { readonly at: string }>(items: readonly Item[]): Map<string, Item[]> {
  const places = new Map<string, Item[]>()
  for (const item of items) places.set(item.at, [...(places.get(item.at) ?? []), item])
  return places
}

function isModelStep(step: Step<unknown>): boolean {
  return 'run' in step && step.options?.kind === 'model'
}

/**
 * Whether a step is a call to the tool that reads artifacts. Its function really runs, because artifacts are not
 * recorded.
 */
function isArtifactReader({ options }: HostStep<unknown>): boolean {
  return options?.name === readArtifact.name
}

type ReplacedFunctions = (call: Pick<ToolContext, 'runId' | 'callId'>) => RecordedResult

/**
 * Replaces the functions of an agent's tools, of other given tools, and of all agents that the agent can call or hand
 * off to.
 */
function replaceFunctions(
  agent: AnyAgent,
  further: readonly AnyTool[],
  by: ReplacedFunctions,
  store: ArtifactStore = agent.artifacts,
): { readonly agent: AnyAgent; readonly further: readonly AnyTool[]; readonly artifacts: ArtifactStore } {
  const known = new Map<AgentCore, Agent<readonly AnyTool[]>>()
  const toAgent = (core: AgentCore) => {
    const { options, model } = core
    const tools = (options.tools ?? []).map(toTool)
    const middleware = (options.middleware ?? []).map(toMiddleware)
    const made = known.get(core) ?? new Agent({ ...options, model, tools, middleware } as typeof options)
    known.set(core, made)
    return made
  }
  const toTool = (one: Tool): Tool => {
    // No function runs, so omit the rate limit.
    const { rate: _, ...settings } = one.settings
    const execute = async (_args: unknown, ctx: ToolContext) => {
      const { output, artifacts } = by(ctx)
      for (const artifact of artifacts) recorded.set(artifact.id, artifact)
      await Promise.all(artifacts.map(({ id }) => ctx.artifacts.stat(id)))
      return output
    }
    const { members } = one
    const made = {
      ...one,
      settings,
      ...(one.execute ? { execute } : {}),
      ...(members ? { members: members.map(toTool) } : {}),
    }
    return one.agent instanceof AgentCore ? { ...made, agent: coreOf(toAgent(one.agent)) } : made
  }
  const toMiddleware = (one: Middleware): Middleware => {
    const { tools } = one
    if (!tools) return one
    const replaced: Middleware['tools'] =
      typeof tools === 'function' ? (run) => tools.call(one, run).map(toTool) : tools.map(toTool)
    // Keep the prototype, because it may contain the middleware's hooks.
    return Object.create(Object.getPrototypeOf(one), {
      ...Object.getOwnPropertyDescriptors(one),
      tools: { value: replaced, enumerable: true },
    })
  }
  const recorded = new Map<string, Artifact>()
  // A recorded artifact's bytes may no longer exist, but the recording describes the artifact.
  const artifacts: ArtifactStore = {
    put: (data, info) => store.put(data, info),
    open: (id) => store.open(id),
    stat: async (id) => recorded.get(id) ?? store.stat(id),
    list: () => store.list(),
    delete: (id) => store.delete(id),
  }
  return { agent: toAgent(coreOf(agent)), further: further.map(toTool), artifacts }
}

/** Returns why a run cannot be replayed with these `tools`. Undefined if it can. */
function unrepeatableReason(run: RunRecording, tools: 'recorded' | 'run' = 'recorded'): string | undefined {
  return incompleteReason(run) ?? (tools === 'run' ? missingDecisionsReason(run) : missingImagesReason(run))
}

/** Returns what is missing from a recording that every replay needs. Undefined if nothing is missing. */
function incompleteReason(run: RunRecording): string | undefined {
  const { begin, end, exchanges, events } = run
  if (!begin)
    return 'only its requests were recorded; use recordRun(file) instead of recordModel(file, model)'
  if (!end) return 'the recording ends before the run'
  if (end.stopReason === 'aborted') return 'it was aborted'
  if (hasBackgroundCalls(run)) return 'it has background calls, and when they ended is not recorded'
  if (events.some(({ event }) => event.type === 'message-delivered'))
    return 'messages were sent to it while it was running'
  if (mediaOf(end.messages) > mediaOf(begin.messages ?? begin.state?.messages))
    return 'its model created files, whose bytes are not recorded'
  const last = exchanges.findLast(({ at }) => !isChildKey(at))
  return end.stopReason === 'error' && !last?.failure
    ? 'it failed, and the cause is not in the recording'
    : undefined
}

function hasBackgroundCalls({ begin, outcomes }: RunRecording): boolean {
  const isBegun = outcomes.some(({ at, outcome: { came } }) => !isChildKey(at) && 'background' in came)
  return isBegun || begin?.state?.kept['background-calls'] !== undefined
}

/** Returns how many messages contain files created by a model. */
function mediaOf(messages: readonly Message[] = []): number {
  return messages.filter(({ role, media }) => role === 'assistant' && media).length
}

/** Returns why a run cannot be replayed by running its functions. Undefined if it can. */
function missingDecisionsReason({ end, events }: RunRecording): string | undefined {
  const hasWaited = events.some(({ at, event }) => event.type === 'call-pending' && isChildKey(at))
  return hasWaited && end?.stopReason !== 'pending'
    ? "its child agents waited for decisions that are not recorded; omit tools: 'run'"
    : undefined
}

/** Returns why a run cannot be replayed from recorded results. Undefined if it can. */
function missingImagesReason(run: RunRecording): string | undefined {
  return showsImages(run)
    ? "it showed images that are not recorded; replayRun(file, { agent, tools: 'run' }) creates them again"
    : undefined
}

/** Whether a run showed its model images created by tools. Such images are not recorded. */
function showsImages({ exchanges, end }: RunRecording): boolean {
  const said = new Set((end?.messages ?? []).flatMap(imagesOf))
  const own = exchanges.filter(({ at }) => !isChildKey(at))
  return own.some(({ messages }) => messages.flatMap(imagesOf).some((picture) => !said.has(picture)))
}

function imagesOf({ content, media }: Message): readonly string[] {
  // The text names files from the user, and the text is compared.
  if (!Array.isArray(content) || media) return []
  return content.flatMap((part) => (part.type === 'image_url' ? [JSON.stringify(part)] : []))
}
