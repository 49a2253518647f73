import type { AnyAgent } from '../door/agent.js'
import type { AnyRunResult } from '../door/result.js'
import type { RunInput } from '../run/begin.js'
import { diffOf } from '../testing/diff.js'
import { CapstanError, isCapstanError } from '../words/error.js'
import type { RunState } from '../words/state.js'
import { agentOfRecording, withoutAgents } from './agent-of-recording.js'
import { chainOf } from './chain-of.js'
import type { Beginning, Ending } from './lines.js'
import { matches } from './matches.js'
import { type Exchange, type RunTold, recordingOf } from './recording.js'
import { Redactor } from './redactor.js'
import { replayOf } from './replay.js'
import { replayingHost } from './replaying-host.js'
import { withoutRunId, withRunId } from './run-ids.js'

export interface ReplayOptions {
  /** The agent whose run it was, to see whether it still makes the same of the same answers. Default: one made from the recording. */
  readonly agent?: AnyAgent
  /** `run` calls the agent's functions; agents that answer calls run as well. Default `recorded`: calls come to what they came to. */
  readonly tools?: 'recorded' | 'run'
  /** Of the agent's tools. Default: none. */
  readonly context?: unknown
}

/**
 * Repeats recorded runs without a model and without their tools, and compares: every request must be the recorded
 * one, and the run must end as it did. Gives their results; of a run that failed, and fails again, none.
 * @throws CapstanError `not_found` for a request, `conflict` for an end that is another one, with what differs
 */
export async function replayRun(file: string, options: ReplayOptions = {}): Promise<readonly AnyRunResult[]> {
  if (options.tools === 'run' && !options.agent) throw withoutTools()
  const results: AnyRunResult[] = []
  for (const run of recordingOf(file)) {
    const result = await repeat(run, file, options)
    if (result) results.push(result)
  }
  return results
}

async function repeat(run: RunTold, file: string, options: ReplayOptions): Promise<AnyRunResult | undefined> {
  const { begin, end } = whole(run, file)
  const { agent = agentOfRecording(run), tools = 'recorded', context } = options
  const isRepeated = ({ at }: Exchange) => tools === 'run' || chainOf(at) === ''
  const model = replayOf([{ ...run, exchanges: run.exchanges.filter(isRepeated) }], file)
  const runId = crypto.randomUUID()
  const given = {
    model,
    runId,
    limits: begin.limits,
    context: context as never,
    allowChangedTools: true,
    ...(tools === 'recorded' ? { host: replayingHost(options.agent ? run : withoutAgents(run)) } : {}),
  }
  try {
    const result = await agent.run(toInput(begin, runId), given)
    compare(end, result.state, file)
    model.assertUsedUp()
    return result
  } catch (error) {
    const failed = run.exchanges.findLast(({ failure }) => failure)?.failure
    const isSame = isCapstanError(error) && error.code === failed?.code && error.evidence?.file !== file
    if (end.stopReason === 'error' && isSame) return undefined
    throw error
  }
}

function withoutTools(): CapstanError {
  const message =
    "A recording holds no functions to run. Give the agent: replayRun(file, { agent, tools: 'run' })."
  return new CapstanError('invalid_request', message)
}

/** @throws CapstanError `unsupported` for a run that is not there from its beginning to an end that can come again */
function whole({ number, begin, end }: RunTold, file: string) {
  const why = !begin
    ? 'only its requests were recorded: use recordRun(file) in place of record(model, file)'
    : !end
      ? 'the recording ends before it did'
      : 'it was aborted'
  if (begin && end && end.stopReason !== 'aborted') return { begin, end }
  const message = `Run ${number} in "${file}" cannot be replayed: ${why}.`
  throw new CapstanError('unsupported', message, { evidence: { file, run: number } })
}

function toInput({ messages = [], state }: Beginning, runId: string): RunInput {
  return state ? withRunId({ ...state, runId }, runId) : messages
}

/** @throws CapstanError `conflict` when a run ended in another way than it did */
function compare(end: Ending, state: RunState, file: string): void {
  const [recorded, seen] = [toFacts(end), withoutRunId(new Redactor().value(toEnd(state)), state.runId)]
  if (matches(recorded, seen)) return
  const message = `The run did not end as it did in "${file}":\n${diffOf(recorded, seen)}\nIf the change is meant, record it again.`
  throw new CapstanError('conflict', message, { evidence: { file } })
}

type Facts = Pick<Ending, 'stopReason' | 'limit' | 'steps' | 'messages'>

function toEnd({ stopReason = 'done', limit, turn: steps, messages }: RunState): Facts {
  return { stopReason, ...(limit ? { limit } : {}), steps, messages }
}

function toFacts({ stopReason, limit, steps, messages }: Facts): Facts {
  return { stopReason, ...(limit ? { limit } : {}), steps, messages }
}
