// Reads the summaries of all runs in a folder, and reads them again when their files have changed.

import { readFileSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { uptime } from 'node:os'
import { basename, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { findViolation, isRecord, noUsage, tryJson } from '@capstan/core/internal'
import type { RunSummary } from '../types.js'
import { absent } from './line-file.js'
import { originsOf, runFiles, runFolder, runsFolder } from './run-folder.js'

/**
 * What the user has set for a run. It is stored in a separate file, because `run.json` is replaced while the run is in
 * progress.
 */
export interface RunMarks {
  readonly isPinned?: boolean
  readonly title?: string
}

export const marksFile = 'marks.json'

/** A run that was found on disk. */
export interface FoundRun {
  readonly folder: string
  readonly summary: RunSummary
  /** When the summary was written, in milliseconds since 1970. */
  readonly writtenAt: number
  /** Why the run cannot be opened. Absent if it can be opened. */
  readonly unreadable?: string
}

/**
 * How many runs to read before letting other work run. Their small files are read synchronously, which is faster than
 * one promise per file.
 */
const runsPerTurn = 50

interface KnownRun {
  readonly stamp: string
  readonly run: FoundRun
}

/** Reads summaries, and caches each one until its file changes. */
export class RunIndex {
  readonly #folder: string
  #known = new Map<string, KnownRun>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Returns all runs, newest first, including those that cannot be opened. */
  async all(): Promise<readonly FoundRun[]> {
    const names = (await readdir(runsFolder(this.#folder)).catch(absent)) ?? []
    const originOf = originsOf(this.#folder)
    const known = new Map<string, KnownRun>()
    for (const [index, name] of names.entries()) {
      if (index % runsPerTurn === 0) await setImmediate()
      const folder = join(runsFolder(this.#folder), name)
      const found = this.#read(folder, originOf)
      if (found) known.set(folder, found)
    }
    this.#known = known
    return [...known.values()].map(({ run }) => withLoss(run)).sort(newestFirst)
  }

  async find(id: string): Promise<FoundRun | undefined> {
    const folder = runFolder(this.#folder, id)
    const found = this.#read(folder, originsOf(this.#folder))
    if (found) this.#known.set(folder, found)
    return found && withLoss(found.run)
  }

  #read(folder: string, originOf: ReturnType<typeof originsOf>): KnownRun | undefined {
    const [summary, marks] = [runFiles.summary, marksFile].map((name) =>
      statSync(join(folder, name), { throwIfNoEntry: false }),
    )
    if (!summary) return undefined
    const stamp = [summary, marks].map((file) => `${file?.ino} ${file?.mtimeMs} ${file?.size}`).join()
    const known = this.#known.get(folder)
    if (known?.stamp === stamp) return known
    const text = readText(join(folder, runFiles.summary))
    if (text === undefined) return undefined
    const given = marks && readText(join(folder, marksFile))
    const run = toRun(text, given, originOf(folder)) ?? toDamagedRun(folder, text)
    return { stamp, run: { folder, writtenAt: summary.mtimeMs, ...run } }
  }
}

/**
 * Reads a file. Returns undefined if it is missing, and an empty string if it is a folder. @throws any other system
 * error
 */
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EISDIR' ? '' : absent(error as NodeJS.ErrnoException)
  }
}

/** Returns a placeholder for a run with a damaged summary, so that the user can see the run and remove it. */
function toDamagedRun(folder: string, text: string): Pick<FoundRun, 'summary' | 'unreadable'> {
  const id: unknown = Object(tryJson(text)).id
  const unreadable = `The file ${runFiles.summary} of this run is damaged. Restore it from a backup, or remove the run.`
  return {
    summary: { ...unknownRun(typeof id === 'string' ? id : basename(folder), undefined), title: unreadable },
    unreadable,
  }
}

function toRun(
  text: string,
  marks: string | undefined,
  origin: string | undefined,
): Pick<FoundRun, 'summary' | 'unreadable'> | undefined {
  const found = tryJson(text)
  if (!isRecord(found) || typeof found.id !== 'string') return undefined
  const given = tryJson(marks ?? '')
  const own = toMarks(given)
  if (found.schema === 1) {
    if (findViolation(found, summarySchema)) return undefined
    const { isForeign: _, ...summary } = found as unknown as RunSummary
    const isOwn = origin !== undefined && [summary.origin, Object(given).origin].includes(origin)
    return { summary: { ...summary, ...own, ...(isOwn ? {} : { isForeign: true }) } }
  }
  const unreadable = `A different version of the studio recorded this run (schema ${JSON.stringify(found.schema)}). This version reads schema 1.`
  return {
    summary: { ...unknownRun(found.id, found.startedAt), title: unreadable, ...own },
    unreadable,
  }
}

const text = { type: 'string' }
const texts = { type: 'array', items: text }
const number = { type: 'number' }

/** The summary fields that lists and filters use. If one is invalid, the summary counts as damaged. */
const summarySchema = {
  type: 'object',
  required: ['agent', 'title', 'status', 'startedAt', 'artifacts', 'source', 'models'],
  properties: {
    agent: text,
    title: text,
    status: { enum: ['running', 'pending', 'ended', 'failed', 'lost'] },
    startedAt: text,
    endedAt: text,
    usage: { type: 'object' },
    artifacts: texts,
    tools: texts,
    after: text,
    fork: { type: 'object', required: ['run'], properties: { run: text } },
    source: { type: 'object', required: ['pid'], properties: { file: text, pid: number } },
    models: texts,
  },
}

function toMarks(given: unknown): RunMarks {
  const { isPinned, title } = Object(given)
  return {
    ...(isPinned === true ? { isPinned } : {}),
    ...(typeof title === 'string' ? { title } : {}),
  }
}

function unknownRun(id: string, startedAt: unknown): RunSummary {
  return {
    schema: 1,
    id,
    kind: 'run',
    agent: '',
    title: '',
    status: 'ended',
    startedAt: typeof startedAt === 'string' ? startedAt : new Date(0).toISOString(),
    workedMs: 0,
    rounds: 0,
    steps: 0,
    toolCalls: 0,
    usage: noUsage,
    artifacts: [],
    source: { version: 0, program: 'keepRun', pid: 0 },
    models: [],
  }
}

/**
 * Changes the status of a `running` run to `lost` if the run's process no longer exists. Returns other runs unchanged.
 */
function withLoss(run: FoundRun): FoundRun {
  const { status, source } = run.summary
  if (status !== 'running' || isAlive(source.pid, run.writtenAt)) return run
  return { ...run, summary: { ...run.summary, status: 'lost' } }
}

function isAlive(pid: number, writtenAt: number): boolean {
  // If the machine has been restarted in the meantime, another process may have the same id.
  const bootedAt = Date.now() - uptime() * 1000
  if (writtenAt < bootedAt - 60_000) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function newestFirst({ summary: one }: FoundRun, { summary: other }: FoundRun): number {
  return compareText(other.startedAt, one.startedAt) || compareText(one.id, other.id)
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
