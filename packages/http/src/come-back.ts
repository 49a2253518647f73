import {
  type AnyRunResult,
  type Decisions,
  isCapstanError,
  type PendingCall,
  type RunState,
} from '@capstan/core'
import { askedBy, type ParkedRun } from './parked-runs.js'
import type { Visit } from './site.js'

/** A run, and where it goes on with one, what it was told. */
export interface Answered {
  readonly agent: { readonly name: string }
  readonly parked?: ParkedRun
  readonly decisions?: Decisions | undefined
}

type Owned = Pick<Visit, 'site' | 'user'>

/** Keeps what the caller may come back to: calls that wait, and what was stopped behind its answers. */
export function keepEnded(
  { pending = [], state, stopReason }: AnyRunResult,
  start: Answered,
  { site, user }: Owned,
): void {
  if (pending.length > 0)
    site.parked.park(user.id, { agent: start.agent.name, state, earlier: leftFrom(pending, start) })
  if (stopReason === 'aborted') keepBehind(state, start, { site, user })
}

/** Keeps what failed behind the caller's answers, or before these had any effect. */
export function keepFailed(error: unknown, start: Answered, { site, user }: Owned): void {
  if (!isCapstanError(error)) return
  if (error.state) keepBehind(error.state, start, { site, user })
  else if (start.parked) site.parked.park(user.id, start.parked)
}

/** A caller that heard of no end says the same again: then what was done is not done once more. */
function keepBehind(state: RunState, { agent, parked, decisions }: Answered, { site, user }: Owned): void {
  if (!parked || !decisions) return
  const told = parked.told ?? { asked: parked.state, decisions }
  const earlier = knownBy(askedBy(parked).pending, parked)
  site.parked.park(user.id, { agent: agent.name, state, told, earlier })
}

type Earlier = NonNullable<ParkedRun['earlier']>

/** Calls that were left unanswered are still known by the run that asked first. */
function leftFrom(pending: readonly PendingCall[], { parked, decisions = {} }: Answered): Earlier {
  if (!parked) return new Map()
  const now = new Set(pending.map(({ callId }) => callId))
  const isLeft = ({ callId }: PendingCall) => now.has(callId) && !Object.hasOwn(decisions, callId)
  return knownBy(parked.state.pending.filter(isLeft), parked)
}

function knownBy(calls: readonly PendingCall[], { state, earlier }: ParkedRun): Earlier {
  return new Map(calls.map(({ callId }) => [callId, [...(earlier?.get(callId) ?? []), state.runId]]))
}
