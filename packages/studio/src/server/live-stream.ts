import { setTimeout } from 'node:timers/promises'
import { toEvent, toEventStream } from '@capstan/protocols/sse'
import type { EntryTail } from '../store/entry-reader.js'
import type { Entry, LiveEvents, RunSummary } from '../types.js'
import { readInbox } from './inbox.js'
import type { StudioParts } from './studio-parts.js'

/** The run that a page shows. Without `run`, the page receives no entries. */
interface Watched {
  readonly run?: string | undefined
  /** The `seq` of the last entry that the page has, or -1 if it has none. */
  readonly after: number
}

/** Handles `GET /api/live`: streams changes to a page, in at most 20 batches per second. */
export function liveStream(parts: StudioParts, watched: Watched, signal: AbortSignal): Response {
  const live = new LiveConnection(parts, watched)
  signal.addEventListener('abort', () => live.close(), { once: true })
  return toEventStream(live.batches(), { keepAliveMs: 15_000, onDisconnect: () => live.close() })
}

class LiveConnection {
  readonly #parts: StudioParts
  readonly #stopListening: () => void
  readonly #due = new Set<'studio' | 'runs'>(['studio', 'runs'])
  readonly #known = new Map<string, string>()
  #entries: Entry[] = []
  #tail: EntryTail | undefined
  #wake = () => {}
  #isClosed = false

  constructor(parts: StudioParts, watched: Watched) {
    this.#parts = parts
    const { changes } = parts
    const studio = () => this.#note('studio')
    const runs = () => this.#note('runs')
    const entries = (run: string) => {
      if (run === watched.run) this.#tail?.check()
    }
    changes.on('studio', studio).on('runs', runs).on('entries', entries)
    this.#stopListening = () => changes.off('studio', studio).off('runs', runs).off('entries', entries)
    if (watched.run !== undefined) void this.#follow(watched.run, watched.after)
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#stopListening()
    this.#tail?.close()
    this.#wake()
  }

  /** Yields the events that are due, in batches, until the connection is closed. */
  async *batches(): AsyncGenerator<string> {
    try {
      while (!this.#isClosed) {
        if (this.#due.size + this.#entries.length === 0) {
          await new Promise<void>((resolve) => {
            this.#wake = resolve
          })
          continue
        }
        const batch = await this.#takeBatch()
        if (batch !== '') yield batch
        await setTimeout(batchMs)
      }
    } finally {
      this.close()
    }
  }

  /** Starts to follow a run's entries. Does nothing if the run is missing or cannot be read. */
  async #follow(run: string, after: number): Promise<void> {
    const onEntries = (entries: readonly Entry[]) => {
      this.#entries.push(...entries)
      this.#wake()
    }
    const tail = await this.#parts.store.tail(run, { after, onEntries }).catch(() => undefined)
    if (this.#isClosed) tail?.close()
    else this.#tail = tail
  }

  #note(part: 'studio' | 'runs'): void {
    this.#due.add(part)
    this.#wake()
  }

  async #takeBatch(): Promise<string> {
    const due = new Set(this.#due)
    this.#due.clear()
    let batch = this.#takeEntries()
    if (due.has('studio')) batch += toEvent({ event: 'studio', data: await this.#parts.about() })
    if (due.has('runs')) batch += await this.#runs()
    return batch
  }

  #takeEntries(): string {
    const last = this.#entries.at(-1)
    if (!last) return ''
    const data: LiveEvents['entries'] = this.#entries
    this.#entries = []
    return toEvent({ id: String(last.seq), event: 'entries', data })
  }

  async #runs(): Promise<string> {
    const isFirst = this.#known.size === 0
    const { runs } = await this.#parts.store.list({ limit: mostRuns })
    const changed: RunSummary[] = []
    const gone = new Set(this.#known.keys())
    for (const run of runs) {
      const text = JSON.stringify(run)
      gone.delete(run.id)
      if (this.#known.get(run.id) === text) continue
      this.#known.set(run.id, text)
      changed.push(run)
    }
    for (const id of gone) this.#known.delete(id)
    if (!isFirst && changed.length + gone.size === 0) return ''
    const data: LiveEvents['runs'] = { changed, removed: [...gone] }
    return `${toEvent({ event: 'runs', data })}${toEvent({ event: 'inbox', data: await readInbox(this.#parts) })}`
  }
}

const batchMs = 50
const mostRuns = 200
