// Writes a run's entries, which are its events with timestamps. Joins deltas that arrive close together.

import type { RunEvent } from '@capstan/core'
import type { Redactor } from '@capstan/core/internal'
import type { Entry, EntryContent } from '../types.js'
import type { KeptFile } from './kept-file.js'

/** For how long deltas of the same kind are joined into one entry, in milliseconds. */
const joinMs = 50

type Delta = Extract<RunEvent, { type: 'text-delta' | 'reasoning-delta' | 'call-delta' }>

export interface EntryWriterOptions {
  readonly file: KeptFile
  readonly redactor: Redactor
  /** The first entry's number. */
  readonly seq: number
  /** Returns the time since the run started, in milliseconds. */
  now(): number
  onError(error: unknown): void
}

/** Numbers entries, removes secrets, and writes the entries. */
export class EntryWriter {
  readonly #options: EntryWriterOptions
  #seq: number
  /**
   * Entries that arrived before the round's first checkpoint. They are written after the round's first entry, which
   * contains the round's decisions.
   */
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

  /** Writes the round's first entry, then the entries that arrived earlier. Later calls do nothing. */
  begin(round: EntryContent): void {
    const held = this.#held
    if (!held) return
    this.flush()
    this.#held = undefined
    this.#write(held[0]?.t ?? this.#options.now(), round)
    for (const { t, content } of held) this.#write(t, content)
  }

  /** Writes the deltas that have been joined so far. */
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

/** Joins two deltas. Undefined if they differ in type, step, parent call or call. */
function join(one: Delta, other: Delta): Delta | undefined {
  const isSame = one.type === other.type && one.step === other.step && one.parentCallId === other.parentCallId
  if (!isSame) return undefined
  if (one.type !== 'call-delta' || other.type !== 'call-delta')
    return 'text' in one && 'text' in other ? { ...one, text: one.text + other.text } : undefined
  return one.callId === other.callId ? { ...one, arguments: one.arguments + other.arguments } : undefined
}
