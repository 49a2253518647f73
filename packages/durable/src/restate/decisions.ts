import { CapstanError, isCapstanError, type Json, type RunState } from '@capstan/core'
import type { RestatePromise, WorkflowSharedContext } from '@restatedev/restate-sdk'
import { type Recorded, toRecorded } from '../recorded.js'
import type { Site } from './host.js'
import type { Sdk } from './options.js'
import { decisionKey, type Given, type Notes, note } from './stored.js'

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

/** It was begun too often without getting on. */
export function setAside(
  runId: string,
  { stuck, failure }: { readonly stuck: readonly string[]; readonly failure?: string },
): CapstanError {
  const message = `The run "${runId}" was set aside: it was begun too often without getting on. Mend what is in its way and resume it ("restate invocations resume ${stuck[0]}"), or abort it. Last it failed with: ${failure}`
  return new CapstanError('stopped', message, { evidence: { runId, failure } })
}

/** Nobody can go on with it. */
export function toolsChanged(runId: string): CapstanError {
  const message = `The run "${runId}" was begun with other tools, and no worker has those any more. Start a worker with them, at a URL of its own.`
  return new CapstanError('conflict', message, { evidence: { runId } })
}

/** A decision came too late. */
export function hasEnded(runId: string, callId: string): CapstanError {
  const message = `There is a decision on "${callId}", which does not wait for one: the run "${runId}" has ended.`
  return new CapstanError('invalid_request', message, { evidence: { callId } })
}
