import { isCapstanError, messageOf } from '../errors.js'
import {
  changesOf,
  type ModelAnswer,
  modelStep,
  nothing,
  type Reply,
  request,
  streamedBy,
  withAsides,
} from '../run/ask-model.js'
import type { RunContext, RunSettings } from '../run/run-context.js'
import type { Stop } from '../run/stop.js'
import { endOfTime, withinTime } from '../run/time-limit.js'
import type { StepContext } from '../types/host.js'
import { type SideRequest, SideRequests } from './compact-history.js'

/**
 * Requests a final answer without tools. The stop reason of the run stays the same. If the request fails, the run has
 * no final answer, and a `landing-failed` event reports it.
 */
export function requestFinalAnswer(run: RunContext, settings: RunSettings, stop: Stop): Promise<Reply> {
  // A key of its own: the host may have a record of the request that the time limit cut off.
  const key = `t${run.state.turn}/landing`
  return modelStep(key, run, settings, (step) => askForFinalAnswer(run, settings, { stop, step }))
}

interface FinalAnswer {
  readonly stop: Stop
  readonly step: StepContext
}

async function askForFinalAnswer(
  run: RunContext,
  settings: RunSettings,
  { stop, step }: FinalAnswer,
): Promise<Reply> {
  const bounds = { endsAt: endOfTime(run, true), timeoutMs: settings.stepTimeoutMs }
  const taken: SideRequest[] = []
  try {
    const answered = await withinTime(bounds, step, (timed) =>
      lastWords(run, settings, {
        stop,
        step: timed,
        asides: new SideRequests(run.state, settings, { step: timed, taken }),
      }),
    )
    return withAsides(answered, taken)
  } catch (error) {
    if (step.signal.aborted) throw error
    const { code, message } = isCapstanError(error)
      ? error
      : { code: 'api' as const, message: messageOf(error) }
    settings.emit?.({ type: 'landing-failed', step: run.state.turn, code, message })
    return withAsides(streamedBy(run), taken)
  }
}

async function lastWords(
  run: RunContext,
  settings: RunSettings,
  { stop, step, asides }: FinalAnswer & { readonly asides: SideRequests },
): Promise<ModelAnswer> {
  const changes = await changesOf(run, settings, step)
  return withoutCalls(
    await request(run, settings, { changes, offer: nothing, step, asides, note: noteOf(stop) }),
  )
}

/** Removes tool calls: the final answer was requested without tools, so nothing would run them. */
function withoutCalls(answered: ModelAnswer): ModelAnswer {
  const { tool_calls: _, ...message } = answered.message
  // The output schema does not apply: the run ends without an output.
  const { output: __, ...rest } = answered
  // A message of calls only may have no content, which servers reject without calls.
  const spoken = { ...message, content: message.content ?? '' }
  return { ...rest, message: spoken, answered: {}, repaired: {}, forced: false }
}

function noteOf({ reason, limit }: Stop): string {
  if (reason === 'done') return 'Your last answer was empty. Answer with text, from what you know so far.'
  const why =
    reason === 'limit' ? `The limit of this run (${limit}) is reached` : 'This run does not get further'
  return `${why}: no more tools can be called. Give the best answer you can from what you know so far, and say what is missing.`
}
