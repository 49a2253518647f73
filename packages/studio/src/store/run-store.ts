// The runs and artifacts in a studio's folder.

import { type FSWatcher, watch } from 'node:fs'
import { appendFile, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { CapstanError, type RunState } from '@capstan/core'
import { type FolderArtifacts, folderArtifacts } from '@capstan/core/node'
import type { Entry, Exchange, Lineage, RoundOptions, RunSummary } from '../types.js'
import { lastCheckpoint, readState } from './checkpoints.js'
import {
  cutEntry,
  type EntryRange,
  type EntryTail,
  partOf,
  readEntries,
  tailEntries,
} from './entry-reader.js'
import { type ByteRange, readExchangeBytes, readExchanges } from './exchange-reader.js'
import { absent } from './line-file.js'
import { type AboutArtifact, aboutArtifact, lineageOf } from './lineage.js'
import { type RetentionBounds, removableRuns } from './retention.js'
import {
  artifactsFolder,
  createStudioFolder,
  fileMode,
  optionsFile,
  originsOf,
  replaceFile,
  runFiles,
  runsFolder,
} from './run-folder.js'
import { type FoundRun, marksFile, RunIndex, type RunMarks } from './run-index.js'

export interface RunFilter {
  readonly agent?: string | undefined
  readonly status?: RunSummary['status'] | undefined
  readonly kind?: RunSummary['kind'] | undefined
  /** Words that must all occur in the run's title, id, agent, models or error. */
  readonly text?: string | undefined
  /** The name of a tool that the run must have called. */
  readonly tool?: string | undefined
  /** The id of a run. Lists only runs that are older than this run, for the next page. */
  readonly before?: string | undefined
  /** The maximum number of runs to list. Default 100. */
  readonly limit?: number | undefined
}

export interface RunPage {
  readonly runs: readonly RunSummary[]
  /** Pass this value as `before` to get the next page. Absent on the last page. */
  readonly next?: string
}

/** How the process of a lost run ended: its exit code or signal, and the end of its error output. */
export type Loss = Extract<Entry, { lost: unknown }>['lost']

/**
 * Reads, changes and removes kept runs. Methods that take a run id throw CapstanError `not_found` if there is no such
 * run.
 */
export class RunStore {
  readonly folder: string
  readonly artifacts: FolderArtifacts
  readonly #index: RunIndex

  constructor(folder: string) {
    this.folder = folder
    this.artifacts = folderArtifacts(artifactsFolder(folder))
    this.#index = new RunIndex(folder)
  }

  /** Creates the folder. Programs that use `keepRun()` store their runs in it if it exists. */
  create(): void {
    createStudioFolder(this.folder)
  }

  /** Lists the runs that match a filter, newest first, one page at a time. */
  async list({ before, limit = 100, ...filter }: RunFilter = {}): Promise<RunPage> {
    const all = await this.#summaries()
    const start = before === undefined ? 0 : all.findIndex(({ id }) => id === before) + 1
    const found = all.slice(start).filter((one) => isFound(one, filter))
    const runs = found.slice(0, limit)
    const last = runs.at(-1)
    return { runs, ...(found.length > limit && last ? { next: last.id } : {}) }
  }

  async get(id: string): Promise<RunSummary | undefined> {
    return (await this.#index.find(id))?.summary
  }

  /** Pins a run, changes its title, or marks a foreign run as trusted, so that it can be continued and repeated. */
  async change(id: string, marks: RunMarks & { readonly isTrusted?: true }): Promise<void> {
    const { folder, summary } = await this.#find(id)
    const { isPinned = summary.isPinned ?? false, title = summary.title } = marks
    const isOwn = marks.isTrusted || !summary.isForeign
    const origin = isOwn ? originsOf(this.folder)(folder) : undefined
    replaceFile(join(folder, marksFile), JSON.stringify({ isPinned, title, origin }))
  }

  /**
   * Removes a run, and artifacts that no other run lists. @throws CapstanError `conflict` while the run is in progress
   */
  async remove(id: string): Promise<void> {
    const { folder, summary } = await this.#find(id)
    if (summary.status === 'running')
      throw new CapstanError('conflict', `The run "${id}" is still running. Stop it first.`, {
        evidence: { id },
      })
    await rm(folder, { recursive: true, force: true })
    const named = new Set((await this.#summaries()).flatMap(({ artifacts }) => artifacts))
    await Promise.all(
      summary.artifacts.filter((one) => !named.has(one)).map((one) => this.artifacts.delete(one)),
    )
  }

  /** Removes the oldest runs until the others are within the bounds. Never removes pinned, running or pending runs. */
  async retain(bounds: RetentionBounds): Promise<readonly string[]> {
    const all = await this.#summaries()
    const sizes = await Promise.all(all.map(async (one) => ({ ...one, bytes: await this.#sizeOf(one.id) })))
    const ids = removableRuns(sizes, bounds)
    for (const id of ids) await this.remove(id)
    return ids
  }

  /** Returns the number of runs, and the total size of their files and of all artifacts. */
  async size(): Promise<{ readonly runs: number; readonly bytes: number }> {
    const all = await this.#summaries()
    const sizes = await Promise.all(all.map(({ id }) => this.#sizeOf(id)))
    const artifacts = await folderSize(artifactsFolder(this.folder))
    return { runs: all.length, bytes: sizes.reduce((sum, one) => sum + one, artifacts) }
  }

  /** Reads a run's entries in order, with long values replaced by `CutValue`. */
  async entries(id: string, range?: EntryRange): Promise<Entry[]> {
    return (await this.wholeEntries(id, range)).map(cutEntry)
  }

  /** Reads a run's entries in order, with their long values. */
  async wholeEntries(id: string, range?: EntryRange): Promise<Entry[]> {
    return readEntries(await this.#folderOf(id), range)
  }

  /** Returns the full value that a `CutValue` replaces. `part` has the form `SEQ/PATH`. */
  async part(id: string, part: string): Promise<unknown> {
    const [seq, ...path] = part.split('/')
    const [entry] = await this.wholeEntries(id, { after: Number(seq) - 1, limit: 1 })
    const value = entry?.seq === Number(seq) ? partOf(entry, path.join('/')) : undefined
    if (value !== undefined) return value
    throw new CapstanError('not_found', `The run "${id}" has no value at "${part}".`, {
      evidence: { id, part },
    })
  }

  /**
   * Follows a run's entries, with long values replaced by `CutValue`. Close the returned tail when you no longer need
   * it.
   */
  async tail(
    id: string,
    options: { readonly after?: number; onEntries(entries: readonly Entry[]): void },
  ): Promise<EntryTail> {
    return tailEntries(await this.#folderOf(id), options)
  }

  /**
   * Reads a state, by default the last one, including its secrets. Use it to continue a run, and never send it to a
   * page.
   */
  async state(id: string, checkpoint?: number): Promise<RunState> {
    const folder = await this.#folderOf(id)
    return readState(folder, checkpoint ?? (await lastCheckpoint(folder)) ?? 0)
  }

  async exchanges(id: string): Promise<Exchange[]> {
    return readExchanges(await this.#folderOf(id))
  }

  /** Reads the stored bytes of a request or response. They contain no secrets. */
  async exchangeBytes(
    id: string,
    exchange: { readonly number: number; readonly part: 'request' | 'response' },
    range?: ByteRange,
  ): Promise<Uint8Array> {
    return readExchangeBytes(await this.#folderOf(id), exchange, range)
  }

  /** Returns the paths of a run's recordings, one per round, in order. */
  async recordings(id: string): Promise<readonly string[]> {
    const folder = await this.#folderOf(id)
    const names = (await readdir(folder)).flatMap((name) => {
      const round = /^recording\.(\d+)\.jsonl$/.exec(name)?.[1]
      return round === undefined ? [] : [{ name, round: Number(round) }]
    })
    return names.sort((a, b) => a.round - b.round).map(({ name }) => join(folder, name))
  }

  /** Reads the options that a round was started with, to continue or repeat the run. */
  async roundOptions(id: string, round: number): Promise<RoundOptions> {
    const path = join(await this.#folderOf(id), optionsFile(round))
    const text = await readFile(path, 'utf8').catch(absent)
    return text === undefined ? {} : JSON.parse(text)
  }

  /** Stores the options that a round was started with. If there are none, writes nothing. */
  async keepOptions(id: string, round: number, options: RoundOptions): Promise<void> {
    if (Object.keys(options).length === 0) return
    replaceFile(join(await this.#folderOf(id), optionsFile(round)), JSON.stringify(options))
  }

  async aboutArtifact(id: string): Promise<AboutArtifact | undefined> {
    return aboutArtifact(id, this.artifacts, await this.#summaries())
  }

  async lineage(of: { readonly run: string } | { readonly artifact: string }): Promise<Lineage> {
    const ids = 'run' in of ? (await this.#find(of.run)).summary.artifacts : [of.artifact]
    return lineageOf(ids, this.artifacts)
  }

  /** Marks a run as lost after its process has ended. Does nothing if the run ended before its process. */
  async markLost(id: string, lost: Loss): Promise<void> {
    const { folder, summary } = await this.#find(id)
    if (summary.status !== 'running' && summary.status !== 'lost') return
    const last = (await readEntries(folder)).at(-1)
    if (last && 'lost' in last) return
    const entry: Entry = { seq: (last?.seq ?? -1) + 1, t: last?.t ?? 0, lost }
    // The process may have ended in the middle of a line.
    await appendFile(join(folder, runFiles.entries), `\n${JSON.stringify(entry)}\n`, { mode: fileMode })
    const { isForeign: _, ...kept } = summary
    const ended: RunSummary = { ...kept, status: 'lost', endedAt: new Date().toISOString() }
    replaceFile(join(folder, runFiles.summary), JSON.stringify(ended))
  }

  /** Calls the listener when a run has been added, changed or removed. Returns a function that stops watching. */
  watch(listener: () => void): () => void {
    this.create()
    let watcher: FSWatcher | undefined
    try {
      watcher = watch(runsFolder(this.folder), { persistent: false, recursive: true }, (_, name) => {
        if (!name || !/(?:\.part|\.jsonl|\.bin)$/.test(name)) listener()
      })
      watcher.on('error', () => watcher?.close())
    } catch {
      // The folder cannot be watched. Lists are read again for each request anyway.
    }
    return () => watcher?.close()
  }

  async #summaries(): Promise<readonly RunSummary[]> {
    return (await this.#index.all()).map(({ summary }) => summary)
  }

  async #find(id: string): Promise<FoundRun> {
    const found = await this.#index.find(id)
    if (found) return found
    throw new CapstanError('not_found', `There is no run "${id}".`, { evidence: { id } })
  }

  /** Returns a run's folder. @throws CapstanError `unsupported` if the run is damaged or has an unsupported schema */
  async #folderOf(id: string): Promise<string> {
    const { folder, unreadable } = await this.#find(id)
    if (unreadable === undefined) return folder
    throw new CapstanError('unsupported', unreadable, { evidence: { id } })
  }

  async #sizeOf(id: string): Promise<number> {
    const found = await this.#index.find(id)
    return found ? folderSize(found.folder) : 0
  }
}

function isFound(
  { agent, status, kind, title, id, models, error, tools = [] }: RunSummary,
  filter: Pick<RunFilter, 'agent' | 'status' | 'kind' | 'text' | 'tool'>,
): boolean {
  const words = (filter.text ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  const text = [title, id, agent, ...models, error?.message ?? ''].join('\n').toLowerCase()
  return (
    (filter.agent === undefined || filter.agent === agent) &&
    (filter.status === undefined || filter.status === status) &&
    (filter.kind === undefined || filter.kind === kind) &&
    (filter.tool === undefined || tools.includes(filter.tool)) &&
    words.every((word) => text.includes(word))
  )
}

async function folderSize(folder: string): Promise<number> {
  const names = (await readdir(folder).catch(absent)) ?? []
  const files = await Promise.all(names.map((name) => stat(join(folder, name)).catch(absent)))
  return files.reduce((sum, file) => sum + (file?.size ?? 0), 0)
}
