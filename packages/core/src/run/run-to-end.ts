import { abortable, ignore, keepListener } from '../async.js'
import { type ErrorCode, withState } from '../errors.js'
import { withoutCredentials } from '../secrets/secrets.js'
import { cancelledResult, notRunResult } from '../tools/rejections.js'
import { currentStep, openCalls, type RunState, type StopReason } from '../types/state.js'
import { withRequests } from '../usage.js'
import { loop } from './loop.js'
import type { RunContext } from './run-context.js'
import { ended as callEnded, stoppedResult } from './run-tools.js'
import { withTime } from './time-limit.js'
import { applyAfterRun, applyBeforeRun, finishStep, keepStreamedText } from './turn.js'

/**
 * Runs the loop to its end, after `prepare`. An abort ends the run normally; an error carries the state so far.
 */
export async function runToEnd(run: RunContext, prepare?: () => Promise<void>): Promise<RunState> {
  const { state, signal, parts } = run
  parts.emit?.({ type: 'run-start', step: state.stepCount, agent: state.agent })
  const removeListener = keepListener(signal)
  try {
    const begin = async () => {
      await prepare?.()
      await applyBeforeRun(run)
    }
    await abortable(signal, begin())
    await loop(run)
    keepStreamedText(run)
    await applyAfterRun(run, { reason: state.stopReason ?? 'done' })
    state.usage = await withTime(run)
  } catch (error) {
    state.usage = withRequests(state.usage, run.unanswered, run.settings.prices)
    if (!signal.aborted) {
      await applyAfterRun(run, { reason: 'error' }).catch(ignore)
      const failure = withState(error, state)
      const { code, message } = failure
      ended(run, { stopReason: 'error', code, message: withoutCredentials(message) })
      throw failure
    }
    closeCutOff(run)
    keepStreamedText(run)
    state.stopReason = 'aborted'
    await applyAfterRun(run, { reason: 'aborted' })
  } finally {
    removeListener()
  }
  ended(run, { stopReason: state.stopReason ?? 'done' })
  return state
}

/** Closes calls that a failed host left open. Those that were not pending may have run in part. */
function closeCutOff(run: RunContext): void {
  const { state } = run
  if (openCalls(state).length === 0) return
  run.startStep()
  for (const open of run.openCalls) {
    const { index, call, result, pending, child } = open
    if (result) continue
    const outcome = child ? stoppedResult(open, run) : pending ? notRunResult : cancelledResult
    state.results[index] = outcome
    callEnded(call, outcome, run)
  }
  state.pending = []
  finishStep(run)
}

function ended({ state, parts }: RunContext, end: RunEnd): void {
  parts.emit?.({ type: 'run-end', step: currentStep(state), ...end, usage: state.usage })
}

type RunEnd =
  | { readonly stopReason: StopReason }
  | { readonly stopReason: 'error'; readonly code: ErrorCode; readonly message: string }
