import { createHash } from 'node:crypto'
import { CapstanError, type Decision, type Json, type RunInput, type RunState } from '@capstan/core'

/** What is said of a run once, and holds each time that it is gone on with and for the runs within it. */
export interface RunSettings {
  readonly data?: Json
  readonly unattended?: boolean
  readonly allowChangedTools?: boolean
}

/** The options of a run that they are. What has not begun has no open calls that could mean something else by now. */
export function runOptions(
  { unattended = false, allowChangedTools = false }: RunSettings,
  { turn }: RunState,
): { readonly unattended: boolean; readonly allowChangedTools: boolean } {
  return { unattended, allowChangedTools: allowChangedTools || turn === 0 }
}

const maxLength = 500

/** How ids end that are those of parts of a run. */
const reservedEnding = /\/(round\d+|abort|decision\/.*|t\d+\/child\d+(r\d+)?)$/s

/** @throws CapstanError `invalid_request` for what cannot be the id of a run, on any engine */
export function checkRunId(id: unknown): asserts id is string {
  const isPlain = typeof id === 'string' && id !== '' && id.length <= maxLength && !/[\p{Cc}\p{Cs}]/u.test(id)
  if (isPlain && !reservedEnding.test(id)) return
  const runId = String(id).slice(0, 100)
  const message = `${JSON.stringify(runId)} cannot be the id of a run: give it 1 to ${maxLength} characters, no control characters, and no end that names a part of a run ("/round1", "/abort").`
  throw new CapstanError('invalid_request', message, { evidence: { runId } })
}

/** The id that a run is given, or has: a state goes on under its own. */
export function toRunId(input: RunInput, runId: string | undefined): string {
  const isState = typeof input === 'object' && input !== null && 'runId' in input
  return runId ?? (isState ? input.runId : crypto.randomUUID())
}

/** A decision as it is kept. @throws CapstanError `invalid_request` for what JSON does not hold */
export function toJsonDecision(decision: Decision, callId: string): Decision {
  try {
    return JSON.parse(JSON.stringify(decision))
  } catch (cause) {
    const message = `The decision on "${callId}" has a value that cannot be written as JSON.`
    throw new CapstanError('invalid_request', message, { cause, evidence: { callId } })
  }
}

/** Tells plain values apart: the same for whoever says the same. */
export function hashInput(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}
