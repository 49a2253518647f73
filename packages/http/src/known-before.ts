import type { Decisions, TokenUsage } from '@capstan/core'
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
}

export function knownBefore({ input, decisions = {} }: Start): KnownBefore {
  const state = typeof input === 'object' && 'messages' in input ? input : undefined
  return {
    artifacts: state?.artifacts?.map(({ id }) => id) ?? [],
    asked: new Set(state?.pending.map(({ callId }) => callId)),
    decisions,
    usage: state?.usage ?? { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
  }
}
