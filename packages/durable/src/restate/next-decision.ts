import { isCapstanError, type RunState } from '@capstan/core'
import type { RestatePromise } from '@restatedev/restate-sdk'
import { decisionKey, type Given } from './kept.js'
import { note } from './note.js'
import type { Site } from './site.js'

/**
 * The next decision on a call that waits; one that cannot be carried out is counted as refused, and another waited for.
 * Undefined when the run is ended.
 */
export async function nextDecision(
  state: RunState,
  refused: Record<string, number>,
  site: Site,
): Promise<Given | undefined> {
  const { ctx, sdk, cancelled, signal, plan } = site
  const awaited = new Map<string, RestatePromise<Given>>()
  for (;;) {
    for (const { callId } of state.pending) {
      const key = decisionKey(callId, refused)
      if (!awaited.has(key)) awaited.set(key, ctx.promise<Given>(key).get())
    }
    const open = state.pending.flatMap(({ callId }) => awaited.get(decisionKey(callId, refused)) ?? [])
    try {
      const given = await sdk.RestatePromise.race(open)
      if (await canCarryOut(given, state, plan.agent)) return given
      refused[given.callId] = (refused[given.callId] ?? 0) + 1
      note(ctx, 'refused', { ...refused })
    } catch (error) {
      if (!(error instanceof sdk.CancelledError)) throw error
      cancelled()
    }
    if (signal.aborted) return undefined
  }
}

async function canCarryOut(
  { callId, decision }: Given,
  state: RunState,
  agent: Site['plan']['agent'],
): Promise<boolean> {
  try {
    await agent.prepare(state, { decisions: { [callId]: decision }, allowChangedTools: true })
    return true
  } catch (error) {
    if (isCapstanError(error)) return false
    throw error
  }
}
