import type { Decisions, RunState, TokenUsage } from '@capstan/core'
import { askedBy } from './parked-runs.js'
import type { Start } from './start-run.js'

/** What a client has already of a run that it goes on with. */
export interface KnownBefore {
  /** Ids of artifacts. */
  readonly artifacts: readonly string[]
  /** Ids of calls that waited for it. */
  readonly asked: ReadonlySet<string>
  /** What it said to them. */
  readonly decisions: Decisions
  readonly usage: TokenUsage
  /** What became of calls that it answered, where it has not heard of that. */
  readonly missed: readonly Missed[]
}

export interface Missed {
  readonly callId: string
  readonly content: string
}

export function knownBefore({ input, decisions = {}, parked, unheard = [] }: Start): KnownBefore {
  const state = typeof input === 'object' && 'messages' in input ? input : undefined
  const asked = parked ? askedBy(parked).pending : []
  return {
    artifacts: state?.artifacts?.map(({ id }) => id) ?? [],
    asked: new Set(asked.map(({ callId }) => callId)),
    decisions: parked?.told?.decisions ?? decisions,
    usage: state?.usage ?? { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    missed: state ? unheard.flatMap((callId) => toMissed(callId, state)) : [],
  }
}

function toMissed(callId: string, { messages }: RunState): readonly Missed[] {
  const message = messages.findLast((one) => one.role === 'tool' && one.tool_call_id === callId)
  return message?.role === 'tool' ? [{ callId, content: message.content }] : []
}
