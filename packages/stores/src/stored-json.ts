import { CapstanError, type Json } from '@capstan/core'
import { isRecord } from '@capstan/core/internal'
import type { RunEntry, StoredEvent } from './run-store.js'

/** The statuses that an entry can have. */
const statuses: readonly unknown[] = ['running', 'pending', 'ended', 'failed']

/**
 * Converts an entry to JSON text.
 * @throws CapstanError `invalid_request` if a field is missing or invalid
 */
export function toEntryText(entry: RunEntry): string {
  const text = toJsonText(entry, 'entry')
  const wrong = wrongFieldOf(JSON.parse(text))
  if (wrong === undefined) return text
  throw invalid(`entry.${wrong} is missing or invalid. Pass a RunEntry; its times are whole numbers.`)
}

/**
 * Converts a value for `setOnce` to JSON text.
 * @throws CapstanError `invalid_request` for a value that JSON cannot represent
 */
export function toValueText(value: Json): string {
  return toJsonText(value, 'value')
}

/**
 * Converts each event to JSON text.
 * @throws CapstanError `invalid_request` if the `seq` of the events does not continue from `afterSeq`
 */
export function toEventTexts(events: readonly StoredEvent[], afterSeq: number): readonly string[] {
  checkAfterSeq(afterSeq)
  return events.map((event, at) => {
    const seq = afterSeq + 1 + at
    if (event.seq === seq) return toJsonText(event, 'event')
    throw invalid(
      `events[${at}].seq is ${String(event.seq)}. Use ${seq}, which follows afterSeq (${afterSeq}).`,
    )
  })
}

/** Checks that a version is a whole number of at least 0. @throws CapstanError `invalid_request` */
export function checkVersion(version: number): void {
  if (!isWhole(version))
    throw invalid(`version is ${String(version)}. Use a whole number, or 0 to create the run.`)
}

/** Checks that `afterSeq` is a whole number of at least -1. @throws CapstanError `invalid_request` */
export function checkAfterSeq(afterSeq: number): void {
  if (!isWhole(afterSeq + 1))
    throw invalid(`afterSeq is ${String(afterSeq)}. Use a whole number, -1 or more.`)
}

/**
 * Checks that an expiry time, if given, is a whole number of at least 0.
 * @throws CapstanError `invalid_request`
 */
export function checkExpiry(expiresAt: number | undefined): void {
  if (expiresAt !== undefined && !isWhole(expiresAt))
    throw invalid(`expiresAt is ${String(expiresAt)}. Use whole milliseconds since 1970.`)
}

/** Checks that a limit is a whole number from 1 to 1000. @throws CapstanError `invalid_request` */
export function checkLimit(limit: number): void {
  if (!isWhole(limit) || limit < 1 || limit > 1000)
    throw invalid(`limit is ${String(limit)}. Use a whole number from 1 to 1000.`)
}

/** Returns the name of an entry's first missing or invalid field. Undefined if the entry is valid. */
export function wrongFieldOf(entry: unknown): keyof RunEntry | 'owner' | undefined {
  if (!isRecord(entry)) return 'owner'
  const { lease, callIds } = entry
  const isOptional = (field: string, fits: (value: unknown) => boolean) =>
    entry[field] === undefined || fits(entry[field])
  const fits: Readonly<Record<keyof RunEntry, boolean>> = {
    owner: isText(entry.owner),
    agent: isText(entry.agent),
    status: statuses.includes(entry.status),
    callIds: Array.isArray(callIds) && callIds.every(isText),
    chat: isOptional('chat', isText),
    session: isOptional('session', isText),
    createdAt: isWhole(entry.createdAt),
    updatedAt: isWhole(entry.updatedAt),
    dueAt: isOptional('dueAt', isWhole),
    lease: lease === undefined || (isRecord(lease) && isText(lease.by) && isWhole(lease.until)),
    record: entry.record !== undefined,
  }
  return (Object.keys(fits) as (keyof RunEntry)[]).find((field) => !fits[field])
}

function toJsonText(value: unknown, what: string): string {
  try {
    const text: unknown = JSON.stringify(value)
    if (typeof text === 'string') return text
  } catch (cause) {
    throw invalid(`${what} cannot be converted to JSON. Use only JSON values.`, cause)
  }
  throw invalid(`${what} is ${typeof value}. Use a JSON value.`)
}

export function invalid(message: string, cause?: unknown): CapstanError {
  return new CapstanError('invalid_request', message, { cause })
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
