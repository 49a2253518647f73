import type { Json } from '@capstan/core'
import type { WorkflowSharedContext } from '@restatedev/restate-sdk'
import { type Recorded, toRecorded } from '../recorded.js'
import { decisionKey, type Given, type Notes } from './kept.js'
import type { Sdk } from './load-sdk.js'
import { hasEnded } from './run-errors.js'

/** Keeps a decision for when it is waited for. The first on a call stands. */
export async function decide(ctx: WorkflowSharedContext, given: Given, sdk: Sdk): Promise<Recorded> {
  const kept = ctx.promise<Given>(decisionKey(given.callId, await ctx.get<Notes['refused']>('refused')))
  const before = await kept.peek()
  if (before) return sameAs(before, given)
  if (await ctx.get<Notes['ended']>('ended'))
    return { ok: false, error: toRecorded(hasEnded(ctx.key, given.callId)) }
  try {
    await kept.resolve(given)
    return { ok: true }
  } catch (error) {
    // Another one came first.
    const first = error instanceof sdk.TerminalError ? await kept.peek() : undefined
    if (!first) throw error
    return sameAs(first, given)
  }
}

function sameAs(before: Given, { callId, decision }: Given): Recorded {
  if (toText(before.decision as unknown as Json) === toText(decision as unknown as Json)) return { ok: true }
  const message = `Something else was decided of "${callId}" before: ${before.decision.type}. The first decision stands.`
  return { ok: false, error: { code: 'conflict', message, evidence: { callId } } }
}

/** JSON with its fields in one order. */
function toText(value: Json): string {
  return JSON.stringify(value, (_, part: Json) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  )
}
