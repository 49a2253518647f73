import {
  Agent,
  type AnyAgent,
  type AnyRunResult,
  type AnyTool,
  type Artifact,
  type ArtifactStore,
  CapstanError,
  type CreateHost,
  isCapstanError,
  type Limits,
  type Message,
  memoryHost,
  type RunHost,
  type RunInput,
  type RunState,
  type RunStep,
  readArtifact,
  type Step,
  type Tool,
  type ToolContext,
} from '@capstan/core'
import {
  agentBehind,
  type CommonRunOptions,
  coreOf,
  type InnerAgent,
  type Outcome,
  settle,
  withAgent,
} from '@capstan/core/internal'
import { diff } from '../diff.js'
import { agentOfRecording, withAgentResults } from './agent-of-recording.js'
import { isChildKey, type RecordedEnd, type RecordedStart, withoutDuration, withRunId } from './format.js'
import { type RunRecording, readRuns } from './read.js'
import { matches, RecordingRedactor, replayRuns } from './replay-model.js'

/** What a run was given besides its input, where the recording cannot bring it back. */
type RepeatedOptions = Omit<
  CommonRunOptions,
  'model' | 'host' | 'runId' | 'signal' | 'session' | 'decisions' | 'attachments' | 'allowChangedTools'
>

export interface ReplayOptions {
  /** The agent whose run it was, to see whether it still makes the same of the same answers. Default: one made from the recording. */
  readonly agent?: AnyAgent
  /**
   * `run` calls the agent's functions; agents that answer calls run as well. Default `recorded`: calls are checked,
   * and policies and approvals asked, as ever, and functions come to what they came to.
   */
  readonly tools?: 'recorded' | 'run'
  /** Of the agent's tools and policies. Default: none. */
  readonly context?: unknown
  /** What the runs were given when they were recorded, such as `settings`, `limits` or `tools`; with `agent`. Default: nothing. */
  readonly options?: RepeatedOptions
}

/**
 * Repeats recorded runs without a model and without their tools, and compares: every request must be the recorded
 * one, every call must be let through or not as it was, and the run must end as it did. Gives their results; of a run
 * that failed, and fails again in the same way, none.
 * @throws CapstanError `not_found` for a request, `conflict` for a call or an end that is another one, with what
 * differs; `unsupported` for a run that cannot be repeated
 */
export async function replayRun(file: string, options: ReplayOptions = {}): Promise<readonly AnyRunResult[]> {
  if (!options.agent && (options.tools === 'run' || options.options)) throw agentRequiredError()
  const results: AnyRunResult[] = []
  for (const run of readRuns(file)) {
    const result = await replayOne(run, file, options)
    if (result) results.push(result)
  }
  return results
}

async function replayOne(
  run: RunRecording,
  file: string,
  options: ReplayOptions,
): Promise<AnyRunResult | undefined> {
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

/** The agent that repeats a run, and what stands in for the rest. */
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
  const message =
    "A recording holds no functions to run, and its own agent takes no options. Give the agent: replayRun(file, { agent, tools: 'run' })."
  return new CapstanError('invalid_request', message)
}

function agentNameError(recorded: string, seen: string, file: string): CapstanError {
  const message = `The run in "${file}" was of the agent "${recorded}", and this one is named "${seen}". If the change is meant, record it again.`
  return new CapstanError('conflict', message, { evidence: { file } })
}

/** @throws CapstanError `unsupported` for a run that is not there from its beginning to an end that can come again */
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

/** Of a run that failed as well. */
type EndState = Omit<RunState, 'stopReason'> & { readonly stopReason: RecordedEnd['stopReason'] }

/** @throws CapstanError `conflict` when a run ended in another way than it did */
function compareEnds(end: EndFacts, state: EndState | undefined, file: string): void {
  const asRecorded = new RecordingRedactor()
  const live = state && asRecorded.value(comparableFacts({ ...state, steps: state.turn }), state.runId)
  // An older version may have written what this one redacts.
  const recorded = asRecorded.value(comparableFacts(end), '')
  if (matches(recorded, live)) return
  const message = `The run did not end as it did in "${file}":\n${diff(recorded, live)}\nIf the change is meant, record it again.`
  throw new CapstanError('conflict', message, { evidence: { file } })
}

/** What a price or a clock says is of its day. */
function comparableFacts({ stopReason, limit, limits, steps, usage, messages }: EndFacts) {
  const { cost: _, seconds: __, ...counts } = usage
  return { stopReason, ...(limit ? { limit } : {}), limits, steps, usage: counts, messages }
}

/**
 * What is done anew of a run's calls. `nothing`: they come to what they came to. `guards`: they are checked, policies
 * and approvals are asked, and where a function is reached, it comes to what it came to. `all`: functions run, and
 * only what was decided is as it was.
 */
type ReplayMode = 'nothing' | 'guards' | 'all'

interface ReplayedCall {
  readonly came: Outcome
  isReached: boolean
}

/** The return value of a recorded function, and the artifacts in it. */
interface RecordedResult {
  readonly output: unknown
  readonly artifacts: readonly Artifact[]
}

/** A host that gives what was recorded of a run in place of running and asking. */
class ReplayHost {
  readonly #file: string
  readonly #anew: ReplayMode
  readonly #outcomes: Map<string, RunRecording['outcomes']>
  readonly #given: Map<string, RunRecording['given']>
  readonly #nows: number[]
  readonly #calls = new Map<string, ReplayedCall>()

  constructor(run: RunRecording, file: string, anew: ReplayMode) {
    this.#file = file
    this.#anew = anew
    this.#outcomes = groupByKey(anew === 'all' ? [] : run.outcomes)
    this.#given = groupByKey(run.given)
    this.#nows = [...run.nows]
  }

  readonly bind: CreateHost = (binding) => {
    const inner = memoryHost(binding)
    const start = Date.now()
    const step = async <T>(one: Step<T>): Promise<T> =>
      this.#anew === 'all' || isModelStep(one) ? inner.step(one) : this.#recorded(one, binding.runId, inner)
    const waitFor = async <T>(key: string): Promise<T | undefined> => {
      const found = this.#given.get(key)?.shift()
      return found && (withRunId(found.given, binding.runId) as T)
    }
    const host: RunHost = {
      ...inner,
      step,
      all: (steps) => Promise.all(steps.map((one) => settle(step(one)))),
      waitFor,
      ...(this.#anew === 'all' ? {} : { now: async () => start + (this.#nows.shift() ?? 0) }),
    }
    return host
  }

  /** What the function of a call comes to, by its idempotency key. @throws what it threw, in its words */
  readonly answer = (idempotencyKey: string): RecordedResult => {
    const call = this.#calls.get(idempotencyKey)
    if (!call) return { output: undefined, artifacts: [] }
    call.isReached = true
    const artifacts = 'artifacts' in call.came ? call.came.artifacts : undefined
    return { output: recordedOutput(call.came), artifacts: artifacts ?? [] }
  }

  /** @throws CapstanError `conflict` naming the outcomes and decisions that the run did not come to */
  assertUsedUp(): void {
    const left = [...this.#outcomes.values(), ...this.#given.values()].flat().map(({ at }) => at)
    if (left.length === 0) return
    const message = `The run did not come to what was recorded at ${left.join(', ')} of "${this.#file}".`
    throw new CapstanError('conflict', message, { evidence: { file: this.#file, left: left.length } })
  }

  async #recorded<T>(step: Step<T>, runId: string, inner: RunHost): Promise<T> {
    const at = step.key
    const found = this.#outcomes.get(at)?.shift()
    if (!found) {
      const message = `The run came to ${at}, and "${this.#file}" has no outcome of it.`
      throw new CapstanError('conflict', message, { evidence: { file: this.#file, at } })
    }
    const came = withRunId(found.outcome.came, runId)
    if (this.#anew === 'nothing' || !('run' in step) || isArtifactReader(step)) return came as T
    const call: ReplayedCall = { came, isReached: false }
    this.#calls.set(`${runId}/${at}`, call)
    const live = (await inner.step(step)) as Outcome
    return checkOutcome(call, live, { file: this.#file, at, runId }) as T
  }
}

interface CallPosition {
  readonly file: string
  readonly at: string
  readonly runId: string
}

/** What a call comes to whose guards were asked. @throws CapstanError `conflict` where they said something else */
function checkOutcome(
  { came, isReached }: ReplayedCall,
  live: Outcome,
  { file, at, runId }: CallPosition,
): Outcome {
  if (isReached && executedStatuses.has(came.status)) return came
  const evidence = { file, at }
  if (isReached) {
    const message = `The call at ${at} would run now, and in "${file}" it was ${came.status}: what is asked before a call has changed. If the change is meant, record it again.`
    throw new CapstanError('conflict', message, { evidence })
  }
  const recorded = new RecordingRedactor()
  const [expected, seen] = [came, withoutDuration(live)].map((one) => recorded.value(one, runId))
  if (matches(expected, seen)) return live
  const message = `The call at ${at} does not come to what it came to in "${file}", before its function is run:\n${diff(expected, seen)}\nIf the change is meant, record it again.`
  throw new CapstanError('conflict', message, { evidence })
}

/** What only becomes of calls that were let through. */
const executedStatuses: ReadonlySet<string> = new Set(['ok', 'error', 'cut_off', 'not_run'])

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

/** What it would read is not in a recording. */
function isArtifactReader({ options }: RunStep<unknown>): boolean {
  return options?.name === readArtifact.name
}

/** Replaces a tool's function, by the idempotency key of the call. */
type ReplacedFunctions = (idempotencyKey: string) => RecordedResult

/** An agent and further tools, whose functions are replaced, also in those that it hands over to; all else is theirs. */
function replaceFunctions(
  agent: AnyAgent,
  further: readonly AnyTool[],
  by: ReplacedFunctions,
  store: ArtifactStore = agent.artifacts.store,
): { readonly agent: AnyAgent; readonly further: readonly AnyTool[]; readonly artifacts: ArtifactStore } {
  const known = new Map<InnerAgent, Agent<readonly AnyTool[]>>()
  const toAgent = (core: InnerAgent) => {
    const { options, model } = core
    const tools = (options.tools ?? []).map(toTool)
    const made = known.get(core) ?? new Agent({ ...options, model, tools } as typeof options)
    known.set(core, made)
    return made
  }
  const toTool = (one: Tool): Tool => {
    // Nobody waits for a function that does not run.
    const { rate: _, ...settings } = one.settings
    const execute = async (_args: unknown, ctx: ToolContext) => {
      const { output, artifacts } = by(ctx.idempotencyKey)
      for (const artifact of artifacts) recorded.set(artifact.id, artifact)
      await Promise.all(artifacts.map(({ id }) => ctx.artifacts.stat(id)))
      return output
    }
    const made = { ...one, settings, ...(one.execute ? { execute } : {}) }
    const behind = agentBehind(one)
    return behind ? withAgent(made, coreOf(toAgent(behind))) : made
  }
  const recorded = new Map<string, Artifact>()
  // The bytes of a recorded artifact may be gone; its description is in the recording.
  const artifacts: ArtifactStore = {
    put: (data, info) => store.put(data, info),
    open: (id) => store.open(id),
    stat: async (id) => recorded.get(id) ?? store.stat(id),
    list: () => store.list(),
    delete: (id) => store.delete(id),
  }
  return { agent: toAgent(coreOf(agent)), further: further.map(toTool), artifacts }
}

/** Why a run cannot come again, with its functions run or with what they came to; undefined where it can. */
function unrepeatableReason(run: RunRecording, tools: 'recorded' | 'run' = 'recorded'): string | undefined {
  return incompleteReason(run) ?? (tools === 'run' ? missingDecisionsReason(run) : missingImagesReason(run))
}

/** Why nothing repeats it. */
function incompleteReason({ begin, end, exchanges, events }: RunRecording): string | undefined {
  if (!begin) return 'only its requests were recorded: use recordRun(file) in place of record(model, file)'
  if (!end) return 'the recording ends before it did'
  if (end.stopReason === 'aborted') return 'it was aborted'
  if (events.some(({ event }) => event.type === 'message-delivered'))
    return 'words were sent to it while it went on'
  const last = exchanges.findLast(({ at }) => !isChildKey(at))
  return end.stopReason === 'error' && !last?.failure
    ? 'it failed, and its model did not, so that nothing says what of'
    : undefined
}

/** Why functions cannot be run again. */
function missingDecisionsReason({ end, events }: RunRecording): string | undefined {
  const hasWaited = events.some(({ at, event }) => event.type === 'call-pending' && isChildKey(at))
  return hasWaited && end?.stopReason !== 'pending'
    ? "agents within it waited for decisions, which it does not hold: leave out tools: 'run'"
    : undefined
}

/** Why what it holds in place of functions is not enough. */
function missingImagesReason(run: RunRecording): string | undefined {
  return showsImages(run)
    ? "it showed pictures that its tools made, and they are not in it: replayRun(file, { agent, tools: 'run' }) makes them again"
    : undefined
}

/** Whether a run showed its model pictures that tools had made: a recording has not got them. */
function showsImages({ exchanges, end }: RunRecording): boolean {
  const said = new Set((end?.messages ?? []).flatMap(imagesOf))
  const own = exchanges.filter(({ at }) => !isChildKey(at))
  return own.some(({ messages }) => messages.flatMap(imagesOf).some((picture) => !said.has(picture)))
}

function imagesOf({ content }: Message): readonly string[] {
  if (!Array.isArray(content)) return []
  return content.flatMap((part) => (part.type === 'image_url' ? [JSON.stringify(part)] : []))
}
