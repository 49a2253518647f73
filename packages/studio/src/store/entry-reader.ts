// Reads and follows a run's entries, and replaces their long values.

import { type FSWatcher, watch } from 'node:fs'
import { join } from 'node:path'
import { isRecord } from '@capstan/core/internal'
import type { CutValue, Entry } from '../types.js'
import { GrowingFile, readLines } from './line-file.js'
import { runFiles } from './run-folder.js'

/** The maximum size in bytes of a value that is sent with its entry. Larger values are loaded separately. */
const mostBytes = 16_384

export interface EntryRange {
  /** The `seq` after which to start reading. Default: the first entry is included. */
  readonly after?: number | undefined
  /** The maximum number of entries to read. Default: all. */
  readonly limit?: number | undefined
}

/** Reads a run's entries in order, with their long values. */
export async function readEntries(folder: string, { after = -1, limit }: EntryRange = {}): Promise<Entry[]> {
  const all = await readLines<Entry>(join(folder, runFiles.entries))
  const found = all.filter(({ seq }) => seq > after)
  return limit === undefined ? found : found.slice(0, limit)
}

/** Returns an entry in which each value that is too long is replaced with a `CutValue`. */
export function cutEntry(entry: Entry): Entry {
  const { seq } = entry
  if (sizeOf(entry) <= mostBytes) return entry
  const fields = Object.entries(entry).map(([name, value]) => [name, cut(value, `${seq}/${toPart(name)}`)])
  return Object.fromEntries(fields) as Entry
}

/** Returns the value at a path, which is the part of `CutValue.cut.part` after `SEQ/`. Undefined if there is none. */
export function partOf(entry: Entry, path: string): unknown {
  let value: unknown = entry
  for (const part of path.split('/')) {
    const name = fromPart(part)
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return value
}

/** Replaces the innermost values that are too long. If the result is still too long, replaces the entire value. */
function cut(value: unknown, part: string): unknown {
  const bytes = sizeOf(value)
  if (bytes <= mostBytes) return value
  const inner = cutInside(value, part)
  if (inner !== undefined && sizeOf(inner) <= mostBytes) return inner
  return { cut: { bytes, part } } satisfies CutValue
}

function cutInside(value: unknown, part: string): unknown {
  if (Array.isArray(value)) return value.map((one, at) => cut(one, `${part}/${at}`))
  if (!isRecord(value)) return undefined
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, cut(one, `${part}/${toPart(name)}`)]),
  )
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '')
}

/** Escapes a field name for a path, as in JSON Pointer. */
function toPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

function fromPart(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** Follows a run's entries until `close` is called. */
export interface EntryTail {
  /** Reads new entries now instead of at the next poll. Call it when the writer reports new entries. */
  check(): void
  close(): void
}

/**
 * Passes the entries with a `seq` above `after` to `onEntries`, followed by new entries when they are written. Long
 * values are replaced. Also polls, because watching files does not work everywhere.
 */
export function tailEntries(
  folder: string,
  { after = -1, onEntries }: { readonly after?: number; onEntries(entries: readonly Entry[]): void },
): EntryTail {
  const file = new GrowingFile<Entry>(join(folder, runFiles.entries))
  let isClosed = false
  let isReading = false
  let isAsked = false
  const read = async () => {
    isAsked = true
    if (isReading) return
    isReading = true
    while (isAsked && !isClosed) {
      isAsked = false
      const found = await file.read().catch(() => [])
      const entries = found.filter(({ seq }) => seq > after)
      if (entries.length > 0 && !isClosed) onEntries(entries.map(cutEntry))
    }
    isReading = false
  }
  const timer = setInterval(read, pollMs)
  timer.unref()
  const watcher = watchFolder(folder, read)
  void read()
  return {
    check: () => void read(),
    close() {
      isClosed = true
      clearInterval(timer)
      watcher?.close()
    },
  }
}

const pollMs = 250

/** Watches a folder. Undefined if the platform does not support it. */
function watchFolder(folder: string, listener: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, listener)
    // The folder may be removed while it is being watched.
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    return undefined
  }
}
