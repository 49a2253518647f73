import type { RunState } from '@capstan/core'
import { type RoundEnd, toRoundEnd } from '../round-end.js'
import type { Plan } from './engine.js'
import type { RoundStart } from './start.js'

/** A run that waited, and was ended while it did. */
export async function abortedEnd(
  { agent }: Plan,
  state: RunState,
  toolCalls: RoundStart['toolCalls'] = [],
): Promise<RoundEnd> {
  const result = await agent.run(state, {
    signal: AbortSignal.abort(),
    allowChangedTools: true,
    silent: true,
    context: undefined as never,
  })
  return toRoundEnd(result, toolCalls)
}
