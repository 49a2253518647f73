// Entries of a run: events with their times, deltas joined.

import type { RunEvent } from '@capstan/core'
import type { Redactor } from '@capstan/core/internal'
import type { Entry, EntryContent } from '../types.js'
import type { KeptFile } from './kept-file.js'

/** Milliseconds within which deltas of one kind are joined to one entry. */
const joinMs = 50

type Delta = Extract<RunEvent, { type: 'text-delta' | 'reasoning-delta' | 'call-delta' }>

export interface EntryWriterOptions {
  readonly file: KeptFile
  readonly redactor: Redactor
  /** The number of the first entry. */
  readonly seq: number
  /** Milliseconds since the run started. */
  now(): number
  onError(error: unknown): void
}

/** Writes entries. Secrets are removed before anything is written. */
export class EntryWriter {
  readonly #options: EntryWriterOptions
  #seq: number
  /** Entries before the first checkpoint, which has the decisions of the round. */
  #held: { readonly t: number; readonly content: EntryContent }[] | undefined = []
  #delta: { readonly t: number; event: Delta } | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(options: EntryWriterOptions) {
    this.#options = options
    this.#seq = options.seq
  }

  event(event: RunEvent): void {
    if (!isDelta(event)) {
      this.add({ event })
      return
    }
    const joined = this.#delta && join(this.#delta.event, event)
    if (this.#delta && joined) {
      this.#delta.event = joined
      return
    }
    this.flush()
    this.#delta = { t: this.#options.now(), event }
    this.#timer = setTimeout(() => this.flush(), joinMs)
    this.#timer.unref()
  }

  add(content: EntryContent): void {
    this.flush()
    this.#write(this.#options.now(), content)
  }

  /** Writes the first entry of the round, then the queued entries. */
  begin(round: EntryContent): void {
    const held = this.#held
    if (!held) return
    this.flush()
    this.#held = undefined
    this.#write(held[0]?.t ?? this.#options.now(), round)
    for (const { t, content } of held) this.#write(t, content)
  }

  /** Writes the delta that is still being joined. */
  flush(): void {
    clearTimeout(this.#timer)
    const delta = this.#delta
    this.#delta = undefined
    if (delta) this.#write(delta.t, { event: delta.event })
  }

  #write(t: number, content: EntryContent): void {
    if (this.#held) {
      this.#held.push({ t, content })
      return
    }
    const { file, redactor, onError } = this.#options
    try {
      const entry: Entry = { seq: this.#seq, t, ...redactor.value(content) }
      file.appendLine(entry)
      this.#seq += 1
    } catch (error) {
      onError(error)
    }
  }
}

function isDelta(event: RunEvent): event is Delta {
  return event.type === 'text-delta' || event.type === 'reasoning-delta' || event.type === 'call-delta'
}

/** Merges two deltas. Undefined if their kinds differ. */
function join(one: Delta, other: Delta): Delta | undefined {
  const isSame = one.type === other.type && one.step === other.step && one.parentCallId === other.parentCallId
  if (!isSame) return undefined
  if (one.type !== 'call-delta' || other.type !== 'call-delta')
    return 'text' in one && 'text' in other ? { ...one, text: one.text + other.text } : undefined
  return one.callId === other.callId ? { ...one, arguments: one.arguments + other.arguments } : undefined
}
