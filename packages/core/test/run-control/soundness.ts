import { expect } from 'vitest'
import { readState } from '../../src/features/resume/resume.js'
import type { RunEvent, RunState } from '../../src/index.js'
import { strictConversation } from './strict-conversation.js'

export function throughJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value))
}

/** Checks that the state of any outcome can be stored, read and continued. */
export function expectSound({
  state,
  stopReason,
}: {
  readonly state: RunState
  readonly stopReason: string
}): void {
  expect(state.stopReason).toBe(stopReason)
  expect(throughJson(state)).toEqual(state)
  expect(() => readState(throughJson(state))).not.toThrow()
  expect(state.limit !== undefined).toBe(stopReason === 'limit')
  expect(state.pending.length > 0).toBe(stopReason === 'pending')
  const more = { role: 'user', content: 'And now?' } as const
  if (stopReason !== 'pending') expect(strictConversation([...state.messages, more])).toEqual([])
}

/** Whatever happened, its events tell it from the start to the end, each call that began with its end. */
export function expectWholeStory(events: readonly RunEvent[], { state }: { readonly state: RunState }): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, n) => n))
  expect(events[0]?.type).toBe('run-start')
  expect(events.at(-1)).toMatchObject({ type: 'run-end', stopReason: state.stopReason, usage: state.usage })
  const idsOf = (type: RunEvent['type']) =>
    events.flatMap((event) => (event.type === type && 'callId' in event ? [event.callId] : []))
  const ends = idsOf('tool-end')
  expect(new Set(ends).size).toBe(ends.length)
  const pending = state.pending.map(({ callId }) => callId)
  expect(pending.filter((id) => ends.includes(id))).toEqual([])
  for (const id of [...idsOf('tool-start'), ...idsOf('call-ready')])
    expect([...ends, ...pending]).toContain(id)
}
