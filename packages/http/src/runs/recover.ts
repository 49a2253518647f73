import type { CallResult, EventOf, RunEvent, RunState } from '@capstan/core'
import { openCalls } from '@capstan/core/internal'
import type { StoredEvent } from '@capstan/stores'

/**
 * Returns the state from which another process continues a run, given the events after the stored state. A call that
 * has ended keeps its result. A call that started but did not end runs again only if `mayRunAgain` accepts it and, for
 * a call to an agent, also each call that started inside it. Otherwise, the model is told that the call's
 * result is unknown.
 */
export function recoveredState(
  state: RunState,
  events: readonly StoredEvent[],
  mayRunAgain: MayRunAgain,
): RunState {
  const results = { ...state.results }
  const known = new Set<string>()
  for (const [index, { id }] of openCalls(state).entries()) {
    const result = results[index] ?? resultOf(id, events, mayRunAgain)
    if (!result) continue
    results[index] = result
    known.add(id)
  }
  const isKnown = (callId: string) => known.has(callId.split('/', 1)[0] ?? callId)
  const pending = state.pending.filter(({ callId }) => !isKnown(callId))
  const children = Object.entries(state.children ?? {}).filter(([index]) => !results[Number(index)])
  const { children: _, ...rest } = state
  return {
    ...rest,
    results,
    pending,
    ...(children.length > 0 && { children: Object.fromEntries(children) }),
  }
}

/** Whether a call that started but did not end may run again. */
type MayRunAgain = (event: EventOf<'tool-start'>) => boolean

function resultOf(
  id: string,
  events: readonly StoredEvent[],
  mayRunAgain: MayRunAgain,
): CallResult | undefined {
  let hasStarted = false
  for (const { event: stored, outcome } of events) {
    const event = stored as unknown as RunEvent
    const { parentCallId } = event
    if (event.type === 'tool-end' && event.callId === id && parentCallId === undefined && !event.background)
      return (outcome as unknown as CallResult | undefined) ?? toCallResult(event)
    if (event.type !== 'tool-start' || mayRunAgain(event)) continue
    const isOwn = parentCallId === undefined ? event.callId === id : isWithin(parentCallId, id)
    hasStarted ||= isOwn
  }
  return hasStarted ? cutOff : undefined
}

function isWithin(path: string, callId: string): boolean {
  return path === callId || path.startsWith(`${callId}/`)
}

function toCallResult(event: EventOf<'tool-end'>): CallResult {
  const { status, content, ms, artifacts, spent, errorId } = event
  return {
    ...{ status, content, ms },
    ...(artifacts.length > 0 && { artifacts }),
    ...(spent && { spent }),
    ...(errorId !== undefined && { errorId }),
  }
}

const cutOff: CallResult = {
  status: 'cut_off',
  content:
    'Error: the process that ran this call stopped before its result was known. It may have had its effect. Check before you call it again.',
  ms: 0,
}
