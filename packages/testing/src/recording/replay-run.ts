import type { AnyAgent, AnyRunResult, Limits, RunInput, RunState } from '@capstan/core'
import { CapstanError, isCapstanError } from '@capstan/core'
import type { CommonRunOptions } from '@capstan/core/internal'
import { diffOf } from '../diff.js'
import { agentOfRecording, withoutAgents } from './agent-of-recording.js'
import { AsRecorded } from './as-recorded.js'
import { functionsReplaced } from './functions-replaced.js'
import type { Beginning, Ending } from './lines.js'
import { matches } from './matches.js'
import { isInside } from './place.js'
import { type RunTold, recordingOf } from './recording.js'
import { replayOf } from './replay.js'
import { ReplayingHost } from './replaying-host.js'
import { withRunId } from './run-ids.js'
import { whyUnrepeatable } from './why-unrepeatable.js'

/** What a run was given besides its input, where the recording cannot bring it back. */
type GivenOptions = Omit<
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
  readonly options?: GivenOptions
}

/**
 * Repeats recorded runs without a model and without their tools, and compares: every request must be the recorded
 * one, every call must be let through or not as it was, and the run must end as it did. Gives their results; of a run
 * that failed, and fails again in the same way, none.
 * @throws CapstanError `not_found` for a request, `conflict` for a call or an end that is another one, with what
 * differs; `unsupported` for a run that cannot be repeated
 */
export async function replayRun(file: string, options: ReplayOptions = {}): Promise<readonly AnyRunResult[]> {
  if (!options.agent && (options.tools === 'run' || options.options)) throw withoutAgent()
  const results: AnyRunResult[] = []
  for (const run of recordingOf(file)) {
    const result = await repeat(run, file, options)
    if (result) results.push(result)
  }
  return results
}

async function repeat(run: RunTold, file: string, options: ReplayOptions): Promise<AnyRunResult | undefined> {
  const { begin, end } = whole(run, file, options)
  const { agent, further, host, limits } = toParts(run, file, options)
  if (begin.messages && begin.agent !== agent.name) throw renamed(begin.agent, agent.name, file)
  const exchanges = run.exchanges.filter(({ at }) => options.tools === 'run' || !isInside(at))
  const model = replayOf([{ ...run, exchanges }], file)
  const runId = begin.runId ?? crypto.randomUUID()
  const context = options.context as never
  const { decisions } = begin.state ?? {}
  const given = { ...options.options, ...further, limits, context, runId, decisions, allowChangedTools: true }
  const finish = (state: RunState | undefined, stopReason: Ending['stopReason']) => {
    compare({ ...end, limits: begin.limits }, state && { ...state, stopReason }, file)
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
function toParts(run: RunTold, file: string, { agent: own, tools, options = {} }: ReplayOptions) {
  if (!own) {
    const host = new ReplayingHost(withoutAgents(run), file, 'nothing')
    return { agent: agentOfRecording(run), host, limits: run.begin?.limits ?? {}, further: {} }
  }
  const { tools: further = [], limits = {} } = options
  const host = new ReplayingHost(run, file, tools === 'run' ? 'all' : 'guards')
  if (tools === 'run') return { agent: own, host, limits, further: {} }
  const { artifacts, ...replaced } = functionsReplaced(own, further, host.answer, options.artifacts)
  return { agent: replaced.agent, host, limits, further: { tools: replaced.further, artifacts } }
}

function withoutAgent(): CapstanError {
  const message =
    "A recording holds no functions to run, and its own agent takes no options. Give the agent: replayRun(file, { agent, tools: 'run' })."
  return new CapstanError('invalid_request', message)
}

function renamed(recorded: string, seen: string, file: string): CapstanError {
  const message = `The run in "${file}" was of the agent "${recorded}", and this one is named "${seen}". If the change is meant, record it again.`
  return new CapstanError('conflict', message, { evidence: { file } })
}

/** @throws CapstanError `unsupported` for a run that is not there from its beginning to an end that can come again */
function whole(run: RunTold, file: string, { tools }: ReplayOptions) {
  const { begin, end } = run
  const why = whyUnrepeatable(run, tools)
  if (begin && end && why === undefined) return { begin, end }
  const message = `Run ${run.number} in "${file}" cannot be replayed: ${why}.`
  throw new CapstanError('unsupported', message, { evidence: { file, run: run.number } })
}

function toInput({ messages = [], state }: Beginning, runId: string): RunInput {
  return state ? withRunId({ ...state, runId }, runId) : withRunId(messages, runId)
}

type End = Pick<Ending, 'stopReason' | 'limit' | 'steps' | 'usage' | 'messages'> & {
  readonly limits: Limits
}

/** Of a run that failed as well. */
type EndState = Omit<RunState, 'stopReason'> & { readonly stopReason: Ending['stopReason'] }

/** @throws CapstanError `conflict` when a run ended in another way than it did */
function compare(end: End, state: EndState | undefined, file: string): void {
  const asRecorded = new AsRecorded()
  const live = state && asRecorded.value(toFacts({ ...state, steps: state.turn }), state.runId)
  // An older version may have written what this one redacts.
  const recorded = asRecorded.value(toFacts(end), '')
  if (matches(recorded, live)) return
  const message = `The run did not end as it did in "${file}":\n${diffOf(recorded, live)}\nIf the change is meant, record it again.`
  throw new CapstanError('conflict', message, { evidence: { file } })
}

/** What a price or a clock says is of its day. */
function toFacts({ stopReason, limit, limits, steps, usage, messages }: End) {
  const { cost: _, seconds: __, ...counts } = usage
  return { stopReason, ...(limit ? { limit } : {}), limits, steps, usage: counts, messages }
}
