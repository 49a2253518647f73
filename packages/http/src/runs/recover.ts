import type { CallResult, RunEvent, RunState } from '@capstan/core'
import { openCalls } from '@capstan/core/internal'
import type { StoredEvent } from '@capstan/stores'

/**
 * Returns the state that another process continues from, given the events behind it. A call that has ended keeps its
 * result. One that has started and not ended is not started again: its outcome is unknown, and the model reads so. Only
 * a call that changes nothing runs again, as does an agent whose calls have changed nothing, and `notBegun`: calls that
 * were told to start, and did not.
 */
export function recoveredState(
  state: RunState,
  events: readonly StoredEvent[],
  { isRead, notBegun = [] }: Known,
): RunState {
  const results = { ...state.results }
  const known = new Set<string>()
  for (const [index, { id }] of openCalls(state).entries()) {
    const result = results[index] ?? resultOf(id, events, notBegun.includes(id) ? () => true : isRead)
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

interface Known {
  isRead(name: string): boolean
  readonly notBegun?: readonly string[] | undefined
}

function resultOf(
  id: string,
  events: readonly StoredEvent[],
  isRead: (name: string) => boolean,
): CallResult | undefined {
  let hasStarted = false
  for (const { event: stored, outcome } of events) {
    const event = stored as unknown as RunEvent
    const { parentCallId } = event
    if (event.type === 'tool-end' && event.callId === id && parentCallId === undefined && !event.background)
      return (outcome as unknown as CallResult | undefined) ?? toCallResult(event)
    if (event.type !== 'tool-start' || isRead(event.name)) continue
    const isOwn = parentCallId === undefined ? event.callId === id : isWithin(parentCallId, id)
    hasStarted ||= isOwn
  }
  return hasStarted ? cutOff : undefined
}

function isWithin(path: string, callId: string): boolean {
  return path === callId || path.startsWith(`${callId}/`)
}

function toCallResult(event: Extract<RunEvent, { readonly type: 'tool-end' }>): CallResult {
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
