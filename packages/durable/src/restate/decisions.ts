import { CapstanError, isCapstanError, type Json, type RunState } from '@capstan/core'
import type { RestatePromise, WorkflowSharedContext } from '@restatedev/restate-sdk'
import { type Recorded, toRecorded } from '../recorded.js'
import type { WorkerContext } from './host.js'
import type { Sdk } from './options.js'
import { decisionKey, type RunMetadata, type StoredDecision, setMetadata } from './stored.js'

/** Keeps a decision for when it is waited for. The first on a call stands. */
export async function storeDecision(
  ctx: WorkflowSharedContext,
  given: StoredDecision,
  sdk: Sdk,
): Promise<Recorded> {
  const kept = ctx.promise<StoredDecision>(
    decisionKey(given.callId, await ctx.get<RunMetadata['refused']>('refused')),
  )
  const before = await kept.peek()
  if (before) return compareDecisions(before, given)
  if (await ctx.get<RunMetadata['ended']>('ended'))
    return { ok: false, error: toRecorded(runEnded(ctx.key, given.callId)) }
  try {
    await kept.resolve(given)
    return { ok: true }
  } catch (error) {
    // Another one came first.
    const first = error instanceof sdk.TerminalError ? await kept.peek() : undefined
    if (!first) throw error
    return compareDecisions(first, given)
  }
}

function compareDecisions(before: StoredDecision, { callId, decision }: StoredDecision): Recorded {
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
  site: WorkerContext,
): Promise<StoredDecision | undefined> {
  const { ctx, sdk, cancelled, signal, plan } = site
  const awaited = new Map<string, RestatePromise<StoredDecision>>()
  for (;;) {
    for (const { callId } of state.pending) {
      const key = decisionKey(callId, refused)
      if (!awaited.has(key)) awaited.set(key, ctx.promise<StoredDecision>(key).get())
    }
    const open = state.pending.flatMap(({ callId }) => awaited.get(decisionKey(callId, refused)) ?? [])
    try {
      const given = await sdk.RestatePromise.race(open)
      if (await canApply(given, state, plan.agent)) return given
      refused[given.callId] = (refused[given.callId] ?? 0) + 1
      setMetadata(ctx, 'refused', { ...refused })
    } catch (error) {
      if (!(error instanceof sdk.CancelledError)) throw error
      cancelled()
    }
    if (signal.aborted) return undefined
  }
}

async function canApply(
  { callId, decision }: StoredDecision,
  state: RunState,
  agent: WorkerContext['plan']['agent'],
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
export function runPaused(
  runId: string,
  { paused, failure }: { readonly paused: readonly string[]; readonly failure?: string },
): CapstanError {
  const message = `The run "${runId}" was set aside: it was begun too often without getting on. Mend what is in its way and resume it ("restate invocations resume ${paused[0]}"), or abort it. Last it failed with: ${failure}`
  return new CapstanError('stopped', message, { evidence: { runId, failure } })
}

/** Nobody can go on with it. */
export function toolsChanged(runId: string): CapstanError {
  const message = `The run "${runId}" was begun with other tools, and no worker has those any more. Start a worker with them, at a URL of its own.`
  return new CapstanError('conflict', message, { evidence: { runId } })
}

/** A decision came too late. */
export function runEnded(runId: string, callId: string): CapstanError {
  const message = `There is a decision on "${callId}", which does not wait for one: the run "${runId}" has ended.`
  return new CapstanError('invalid_request', message, { evidence: { callId } })
}
