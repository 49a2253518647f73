import { CapstanError, isCapstanError, type RunState } from '@capstan/core'
import { canonicalJson } from '@capstan/core/internal'
import type { RestatePromise, WorkflowSharedContext } from '@restatedev/restate-sdk'
import { type Recorded, toRecorded } from '../recorded.js'
import type { WorkerContext } from './host.js'
import type { Sdk } from './options.js'
import { decisionKey, type RunMetadata, type StoredDecision, setMetadata } from './stored.js'

/**
 * Stores a decision until its call is pending. If a different decision has already been stored, returns a `conflict`
 * error.
 */
export async function storeDecision(
  ctx: WorkflowSharedContext,
  given: StoredDecision,
  sdk: Sdk,
): Promise<Recorded> {
  const stored = ctx.promise<StoredDecision>(
    decisionKey(given.callId, await ctx.get<RunMetadata['refused']>('refused')),
  )
  const before = await stored.peek()
  if (before) return compareDecisions(before, given)
  if (await ctx.get<RunMetadata['ended']>('ended'))
    return { ok: false, error: toRecorded(runEnded(ctx.key, given.callId)) }
  try {
    await stored.resolve(given)
    return { ok: true }
  } catch (error) {
    // Another decision was stored first.
    const first = error instanceof sdk.TerminalError ? await stored.peek() : undefined
    if (!first) throw error
    return compareDecisions(first, given)
  }
}

function compareDecisions(before: StoredDecision, { callId, decision }: StoredDecision): Recorded {
  if (canonicalJson(before.decision) === canonicalJson(decision)) return { ok: true }
  const message = `The call "${callId}" already has a different decision (${before.decision.type}). The first decision applies.`
  return { ok: false, error: { code: 'conflict', message, evidence: { callId } } }
}

/**
 * Waits for the next decision on a pending call. If a decision cannot be applied, counts it as rejected and continues
 * to wait. Returns undefined if the run is aborted.
 */
export async function nextDecision(
  state: RunState,
  refused: Record<string, number>,
  worker: WorkerContext,
): Promise<StoredDecision | undefined> {
  const { ctx, sdk, cancelled, signal, config } = worker
  const awaited = new Map<string, RestatePromise<StoredDecision>>()
  for (;;) {
    for (const { callId } of state.pending) {
      const key = decisionKey(callId, refused)
      if (!awaited.has(key)) awaited.set(key, ctx.promise<StoredDecision>(key).get())
    }
    const open = state.pending.flatMap(({ callId }) => awaited.get(decisionKey(callId, refused)) ?? [])
    try {
      const given = await sdk.RestatePromise.race(open)
      if (await canApply(given, state, config.agent)) return given
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
  agent: WorkerContext['config']['agent'],
): Promise<boolean> {
  try {
    await agent.prepare(state, { decisions: { [callId]: decision }, allowChangedTools: true })
    return true
  } catch (error) {
    if (isCapstanError(error)) return false
    throw error
  }
}

/** Returns the error for a run that Restate has paused after too many failed attempts. */
export function runPaused(
  runId: string,
  { paused, failure }: { readonly paused: readonly string[]; readonly failure?: string },
): CapstanError {
  const message = `Run "${runId}" is paused after too many failed attempts. Fix the cause and resume it ("restate invocations resume ${paused[0]}"), or abort it. Last error: ${failure}`
  return new CapstanError('stopped', message, { evidence: { runId, failure } })
}

/** Returns the error for a run when no registered worker has its tools. */
export function toolsChanged(runId: string): CapstanError {
  const message = `No worker has the tools that run "${runId}" started with. Start a worker with those tools at a separate URL.`
  return new CapstanError('conflict', message, { evidence: { runId } })
}

/** Returns the error for a decision on a run that has ended. */
export function runEnded(runId: string, callId: string): CapstanError {
  const message = `The run "${runId}" has ended. Its call "${callId}" is no longer pending.`
  return new CapstanError('invalid_request', message, { evidence: { callId } })
}
