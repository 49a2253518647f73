import { isInside } from './place.js'
import type { RunTold } from './recording.js'
import { showsPictures } from './shows-pictures.js'

/** Why a run cannot come again, with its functions run or with what they came to; undefined where it can. */
export function whyUnrepeatable(run: RunTold, tools: 'recorded' | 'run' = 'recorded'): string | undefined {
  return unrepeatable(run) ?? (tools === 'run' ? unrunnable(run) : untold(run))
}

/** Why nothing repeats it. */
function unrepeatable({ begin, end, exchanges, events }: RunTold): string | undefined {
  if (!begin) return 'only its requests were recorded: use recordRun(file) in place of record(model, file)'
  if (!end) return 'the recording ends before it did'
  if (end.stopReason === 'aborted') return 'it was aborted'
  if (events.some(({ event }) => event.type === 'message-delivered'))
    return 'words were sent to it while it went on'
  const last = exchanges.findLast(({ at }) => !isInside(at))
  return end.stopReason === 'error' && !last?.failure
    ? 'it failed, and its model did not, so that nothing says what of'
    : undefined
}

/** Why functions cannot be run again. */
function unrunnable({ end, events }: RunTold): string | undefined {
  const hasWaited = events.some(({ at, event }) => event.type === 'call-pending' && isInside(at))
  return hasWaited && end?.stopReason !== 'pending'
    ? "agents within it waited for decisions, which it does not hold: leave out tools: 'run'"
    : undefined
}

/** Why what it holds in place of functions is not enough. */
function untold(run: RunTold): string | undefined {
  return showsPictures(run)
    ? "it showed pictures that its tools made, and they are not in it: replayRun(file, { agent, tools: 'run' }) makes them again"
    : undefined
}
