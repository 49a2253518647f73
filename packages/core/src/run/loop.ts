import { openCalls, type RunState } from '../types/state.js'
import { askModel } from './ask-model.js'
import type { FinalRequest, Stop } from './middleware.js'
import type { RunContext } from './run-context.js'
import { applyDecisions, runOpenCalls } from './run-tools.js'
import { stopBefore } from './stop.js'
import { countTime } from './time-limit.js'
import { applyEach, applyReply, finishStep } from './turn.js'

/**
 * Runs open calls, sends a request to the model, and repeats both until the model replies with text or something stops
 * the run. Only this loop and `turn.ts`, which changes the state, determine the order of a run.
 */
export async function loop(run: RunContext): Promise<RunState> {
  const { state } = run
  for (;;) {
    run.startStep()
    if (state.limits.seconds !== undefined) await countTime(run)
    if (openCalls(state).length > 0) {
      await runOpenCalls(run)
      while (state.pending.length > 0) {
        await applyDecisions(run)
        // A call may need another decision after the first one.
        if (state.pending.length > 0 && !run.parts.decided) return end(state, { reason: 'pending' })
      }
      const ending = finishStep(run)
      if (ending) return end(state, ending)
      continue
    }
    const stop = stopBefore(run)
    let last: FinalRequest | undefined
    // The first final request that a middleware returns is sent.
    if (stop) for (const one of run.settings.hooks.beforeStop) last ??= one.beforeStop(stop, run)
    if (stop && !last) return end(state, stop)
    if (!last && run.settings.hooks.beforeStep.length > 0) await applyEach(run, 'beforeStep')
    const ending = applyReply(await askModel(run, last), run, last)
    if (stop ?? ending) return end(state, stop ?? (ending as Stop))
  }
}

function end(state: RunState, { reason, limit }: Stop): RunState {
  state.stopReason = reason
  if (limit) state.limit = limit
  return state
}
