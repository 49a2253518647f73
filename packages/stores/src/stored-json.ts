import { CapstanError, type Json } from '@capstan/core'
import { isRecord } from '@capstan/core/internal'
import type { RunEntry, StoredEvent } from './run-store.js'

/** Valid run statuses. */
const statuses: readonly unknown[] = ['running', 'pending', 'ended', 'failed']

/** Returns an entry as JSON text. @throws CapstanError `invalid_request` for an entry with a missing or invalid field */
export function toEntryText(entry: RunEntry): string {
  const text = toJsonText(entry, 'entry')
  const wrong = wrongFieldOf(JSON.parse(text))
  if (wrong === undefined) return text
  throw invalid(`entry.${wrong} is missing or wrong. Use a RunEntry; times are whole numbers.`)
}

/** Returns a key's value as JSON text. @throws CapstanError `invalid_request` */
export function toValueText(value: Json): string {
  return toJsonText(value, 'value')
}

/**
 * Returns each event as JSON text.
 * @throws CapstanError `invalid_request` if their `seq` does not continue from `afterSeq`
 */
export function toEventTexts(events: readonly StoredEvent[], afterSeq: number): readonly string[] {
  checkAfterSeq(afterSeq)
  return events.map((event, at) => {
    const seq = afterSeq + 1 + at
    if (event.seq === seq) return toJsonText(event, 'event')
    throw invalid(`events[${at}].seq is ${String(event.seq)}. Use ${seq}, it follows afterSeq (${afterSeq}).`)
  })
}

/** Rejects an invalid version. @throws CapstanError `invalid_request` */
export function checkVersion(version: number): void {
  if (!isWhole(version)) throw invalid(`version is ${String(version)}. Use a whole number, 0 to create.`)
}

/** Rejects an invalid `afterSeq`. @throws CapstanError `invalid_request` */
export function checkAfterSeq(afterSeq: number): void {
  if (!isWhole(afterSeq + 1))
    throw invalid(`afterSeq is ${String(afterSeq)}. Use a whole number, -1 or more.`)
}

/** Rejects an invalid expiry time. @throws CapstanError `invalid_request` */
export function checkExpiry(expiresAt: number | undefined): void {
  if (expiresAt !== undefined && !isWhole(expiresAt))
    throw invalid(`expiresAt is ${String(expiresAt)}. Use whole milliseconds since 1970.`)
}

/** Rejects an invalid limit. @throws CapstanError `invalid_request` */
export function checkLimit(limit: number): void {
  if (!isWhole(limit) || limit < 1 || limit > 1000)
    throw invalid(`limit is ${String(limit)}. Use a whole number from 1 to 1000.`)
}

/** Returns an entry's first field that is missing or invalid. Undefined if the entry is valid. */
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
    throw invalid(`${what} cannot be written as JSON. Use JSON values only.`, cause)
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
