// Keeps the bytes of a run's requests and responses, with timestamps.

import {
  type ChatModel,
  isCapstanError,
  type ModelRequest,
  type ModelSink,
  type WireListener,
  type WireTap,
  wireTap,
} from '@capstan/core'
import { messageOf, type Redactor, readStepKey } from '@capstan/core/internal'
import type { EntryContent, Exchange } from '../types.js'
import { BodyStore } from './body-store.js'
import type { KeptFile } from './kept-file.js'

export interface WireRecorderOptions {
  /** The file `wire.jsonl`. `bytes` is `wire.bin`. */
  readonly lines: KeptFile
  readonly bytes: KeptFile
  readonly redactor: Redactor
  /** The first exchange's number. */
  readonly number: number
  /** Returns the time since the run started, in milliseconds. */
  now(): number
  onEntry(entry: EntryContent): void
  onError(error: unknown): void
}

type Draft = { -readonly [Field in keyof Exchange]: Exchange[Field] }

/** Keeps a run's exchanges. An exchange is a request and its response. */
export class WireRecorder {
  readonly #options: WireRecorderOptions
  readonly #bodies: BodyStore
  #number: number

  constructor(options: WireRecorderOptions) {
    this.#options = options
    this.#number = options.number
    this.#bodies = new BodyStore(options.bytes, options.redactor)
  }

  /** Wraps a model so that its exchanges are kept. `placeOf` returns a request's step key. */
  model(own: ChatModel, placeOf: (request: ModelRequest) => string): ChatModel {
    return {
      ...own,
      complete: async (request, sink) => {
        const place = new StepExchanges(placeOf(request), this)
        const take: ModelSink = (delta) => {
          if (delta.type !== 'retry') place.tokenCame()
          sink?.(delta)
        }
        try {
          const reply = await own.complete({ ...request, tap: place.tap(request.tap) }, take)
          place.endUnseen({ reply }, own)
          return reply
        } catch (error) {
          place.endUnseen({ error }, own)
          throw error
        }
      },
    }
  }

  begin(
    about: Pick<Exchange, 'at' | 'attempt' | 'url' | 'requestHeaders'>,
    body: readonly Uint8Array[],
  ): KeptExchange | undefined {
    const { now } = this.#options
    const number = this.#number
    this.#number += 1
    return this.guarded(() => {
      const request = this.#bodies.add(number, conversationOf(about.at), body)
      const exchange: Draft = { number, ...about, sentAt: now(), request, pieces: [], notes: [] }
      this.write(exchange, 'sent')
      return new KeptExchange(exchange, this, this.#options)
    })
  }

  write(exchange: Exchange, is: Extract<EntryContent, { exchange: number }>['is']): void {
    // For progress in between, the timestamps in the entries are enough.
    if (is === 'sent' || is === 'ended') this.#options.lines.appendLine(exchange)
    this.#options.onEntry({ exchange: exchange.number, is })
  }

  guarded<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      this.#options.onError(error)
      return undefined
    }
  }
}

/** Returns the id of the conversation that a step belongs to: the run's own, or that of a sub-agent. */
function conversationOf(at: string): string {
  return readStepKey(at)?.run ?? at
}

/** The exchanges of one step: its request and any retries. */
class StepExchanges {
  readonly #at: string
  readonly #recorder: WireRecorder
  #attempts = 0
  #last: KeptExchange | undefined

  constructor(at: string, recorder: WireRecorder) {
    this.#at = at
    this.#recorder = recorder
  }

  tap(other: WireTap | undefined): WireTap {
    const listener: WireListener = {
      sent: ({ url, headers: requestHeaders, body }) => {
        this.#attempts += 1
        const about = { at: this.#at, attempt: this.#attempts, url, requestHeaders }
        const exchange = this.#recorder.begin(about, body)
        this.#last = exchange
        return {
          headers: (status, headers) => exchange?.headers(status, headers),
          received: (bytes) => exchange?.received(bytes),
          noted: (note) => exchange?.noted(note),
          ended: (outcome) => exchange?.ended(outcome),
        }
      },
    }
    return wireTap(listener, other)
  }

  tokenCame(): void {
    this.#last?.tokenCame()
  }

  /** Keeps a request without bytes, for a model that did not use HTTP. */
  endUnseen(outcome: { readonly reply: object } | { readonly error: unknown }, { name }: ChatModel): void {
    if (this.#attempts > 0) return
    const about = { at: this.#at, attempt: 1, url: '', requestHeaders: { model: name } }
    this.#recorder.begin(about, [])?.ended(outcome)
  }
}

/** An exchange that is still in progress. */
class KeptExchange {
  readonly #exchange: Draft
  readonly #recorder: WireRecorder
  readonly #options: WireRecorderOptions
  readonly #pieces: Uint8Array[] = []
  readonly #arrivals: (readonly [number, number])[] = []

  constructor(exchange: Draft, recorder: WireRecorder, options: WireRecorderOptions) {
    this.#exchange = exchange
    exchange.pieces = this.#arrivals
    this.#recorder = recorder
    this.#options = options
  }

  headers(status: number, responseHeaders: Readonly<Record<string, string>>): void {
    Object.assign(this.#exchange, { status, responseHeaders, headersAt: this.#options.now() })
    this.#recorder.write(this.#exchange, 'headers')
  }

  received(bytes: Uint8Array): void {
    const t = this.#options.now()
    this.#pieces.push(bytes.slice())
    this.#arrivals.push([t, bytes.byteLength])
    if (this.#exchange.firstByteAt !== undefined) return
    this.#exchange.firstByteAt = t
    this.#recorder.write(this.#exchange, 'first-byte')
  }

  noted(note: {
    readonly code: string
    readonly call?: number
    readonly from?: string
    readonly to?: string
  }): void {
    const piece = Math.max(0, this.#pieces.length - 1)
    this.#exchange.notes = [...this.#exchange.notes, { ...this.#options.redactor.value(note), piece }]
  }

  tokenCame(): void {
    this.#exchange.firstTokenAt ??= this.#options.now()
  }

  /** Stores the response. Redacts the entire response at once, because a secret may be split between two pieces. */
  ended(outcome: { readonly reply?: object } | { readonly error: unknown }): void {
    this.#recorder.guarded(() => {
      const { redactor, bytes, now } = this.#options
      const exchange = this.#exchange
      exchange.endedAt = now()
      if (this.#pieces.length > 0) {
        const came = Buffer.concat(this.#pieces)
        const text = came.toString('utf8')
        const shown = redactor.text(text)
        exchange.response = bytes.append(shown === text ? came : Buffer.from(shown))
      }
      if ('error' in outcome) exchange.error = redactor.value(toErrorFacts(outcome.error))
      else if (outcome.reply) exchange.reply = redactor.value(outcome.reply) as NonNullable<Exchange['reply']>
      this.#recorder.write(exchange, 'ended')
    })
  }
}

function toErrorFacts(error: unknown): NonNullable<Exchange['error']> {
  const message = messageOf(error)
  if (!isCapstanError(error)) return { code: 'api', message }
  const { code, status } = error
  return { code, message, ...(status === undefined ? {} : { status }) }
}
