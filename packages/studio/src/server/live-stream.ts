import { toEvent } from '@capstan/http/parts'
import type { EntryTail } from '../store/entry-reader.js'
import type { Entry, LiveEvents, RunSummary } from '../types.js'
import { readInbox } from './inbox.js'
import type { StudioParts } from './studio-parts.js'

/** The run that a page shows. */
interface Watched {
  readonly run?: string | undefined
  /** The `seq` of the last known entry. */
  readonly after: number
}

/** `GET /api/live`: what changes, in at most 20 batches a second. */
export function liveStream(parts: StudioParts, watched: Watched, signal: AbortSignal): Response {
  let live: LiveConnection | undefined
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      live = new LiveConnection(parts, watched, controller)
      signal.addEventListener('abort', () => live?.close(), { once: true })
    },
    cancel: () => live?.close(),
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
}

class LiveConnection {
  readonly #parts: StudioParts
  readonly #controller: ReadableStreamDefaultController<Uint8Array>
  readonly #stopListening: () => void
  readonly #alive: NodeJS.Timeout
  readonly #due = new Set<'studio' | 'runs'>(['studio', 'runs'])
  readonly #known = new Map<string, string>()
  #entries: Entry[] = []
  #tail: EntryTail | undefined
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined
  #lastSent = 0
  #isClosed = false

  constructor(parts: StudioParts, watched: Watched, controller: ReadableStreamDefaultController<Uint8Array>) {
    this.#parts = parts
    this.#controller = controller
    this.#stopListening = parts.changes.listen({
      studio: () => this.#note('studio'),
      runs: () => this.#note('runs'),
      entries: (run) => {
        if (run === watched.run) this.#tail?.check()
      },
    })
    this.#alive = setInterval(() => this.#write(': alive\n\n'), aliveMs)
    this.#schedule()
    if (watched.run !== undefined) void this.#follow(watched.run, watched.after)
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#stopListening()
    this.#tail?.close()
    clearInterval(this.#alive)
    clearTimeout(this.#timer)
    try {
      this.#controller.close()
    } catch {
      // The reader has closed it.
    }
  }

  /** A run that is missing, or that cannot be read, has no entries. */
  async #follow(run: string, after: number): Promise<void> {
    const onEntries = (entries: readonly Entry[]) => {
      this.#entries.push(...entries)
      this.#schedule()
    }
    const tail = await this.#parts.store.tail(run, { after, onEntries }).catch(() => undefined)
    if (this.#isClosed) tail?.close()
    else this.#tail = tail
  }

  #note(part: 'studio' | 'runs'): void {
    this.#due.add(part)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#timer || this.#sending || this.#isClosed) return
    const wait = Math.max(0, this.#lastSent + batchMs - performance.now())
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#sending = this.#send().finally(() => {
        this.#sending = undefined
        if (this.#due.size > 0 || this.#entries.length > 0) this.#schedule()
      })
    }, wait)
  }

  /** Sends all that is due as one batch. */
  async #send(): Promise<void> {
    this.#lastSent = performance.now()
    const due = new Set(this.#due)
    this.#due.clear()
    let batch = this.#takeEntries()
    if (due.has('studio')) batch += toEvent({ event: 'studio', data: await this.#parts.about() })
    if (due.has('runs')) batch += await this.#runs()
    this.#write(batch)
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

  #write(text: string): void {
    if (text !== '' && !this.#isClosed) this.#controller.enqueue(encoder.encode(text))
  }
}

const encoder = new TextEncoder()
const batchMs = 50
const aliveMs = 15_000
const mostRuns = 200
