import type { AnyRunResult, PendingCall } from '@capstan/core'
import { callsOf } from '@capstan/core/wire'

/** Of the calls that a run waits for, those of agents within the agent: they stand in no message of the conversation. */
export function innerCalls({ pending = [], state }: AnyRunResult): readonly PendingCall[] {
  const own = new Set(state.messages.flatMap((message) => callsOf(message).map(({ id }) => id)))
  return pending.filter(({ callId }) => !own.has(callId))
}
