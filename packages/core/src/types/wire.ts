/** Sends one request and returns the response as it arrives. The layer below the chat protocol. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>

export interface TransportRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The body as UTF-8, in one or more parts. */
  readonly body: readonly Uint8Array[]
  readonly signal: AbortSignal
}

export interface TransportResponse {
  readonly status: number
  header(name: string): string | null
  /** The names and values of all headers, in turn. */
  headers(): readonly string[]
  /**
   * Passes the body on piece by piece until it ends, or until `take` returns `false`: then the connection is closed.
   * Rejects when the body breaks off. Call it once.
   */
  read(take: (bytes: Uint8Array) => boolean): Promise<void>
  /** Closes the connection: `read` resolves. */
  leave(): void
}

/** A request that a tap sends, to tell a listener about it. */
export interface TappedRequest<Reply> {
  readonly request: Omit<TransportRequest, 'signal'>
  /** Whether a stream is requested. */
  readonly stream: boolean
  readonly transport: Transport
  readonly signal: AbortSignal
  /** Hides the secrets of the model. */
  readonly secrets: { hide(text: string): string }
  /** Whether a tool of this name is offered. */
  readonly isTool: (name: string) => boolean
  /** Sends the request and reads its reply. `noting` surrounds reading that follows the last piece. */
  send(transport: Transport, noting: <T>(read: () => T) => T): Promise<Reply>
}

/** A request as it is sent. */
export interface WireRequest {
  /** Without secrets. */
  readonly url: string
  /** By lower-case name, without secrets. */
  readonly headers: Readonly<Record<string, string>>
  /** The body as UTF-8, in one or more parts. It may contain secrets. */
  readonly body: readonly Uint8Array[]
}

/** A part of a response that is read as other than it was received. */
export interface WireNote {
  readonly code: WireNoteCode
  /** The place of the call in the response that the note is about. */
  readonly call?: number
  /** The received text; at most 200 characters. */
  readonly from?: string
  /** The text it is read as; at most 200 characters. */
  readonly to?: string
}

/** The subject of a note. `explainNote` of `@capstan/testing/recording` has a sentence for each. */
export type WireNoteCode =
  // The whole response.
  | 'body-for-stream'
  | 'stream-for-body'
  | 'bytes-garbled'
  | 'compressed'
  | 'left-open'
  | 'broken-after-end'
  | 'no-usage'
  // Its events.
  | 'line-without-data'
  | 'events-joined'
  | 'event-passed-over'
  | 'start-missing'
  // Its end.
  | 'no-finish-reason'
  | 'finish-reason-read'
  | 'calls-despite-reason'
  // The place of the message.
  | 'choice-by-index'
  | 'object-for-list'
  | 'message-beside-choice'
  | 'text-again'
  // Its calls.
  | 'call-by-order'
  | 'call-by-id'
  | 'call-by-name'
  | 'call-again'
  | 'call-in-content'
  | 'old-function-call'
  | 'id-missing'
  | 'name-in-pieces'
  | 'name-cleaned'
  | 'arguments-as-object'
  | 'arguments-elsewhere'
  | 'arguments-empty'
  | 'arguments-in-string'
  | 'arguments-twice'

/** The subject of a note. Values that are no text are written as JSON. */
export interface NoteSubject {
  readonly call?: number
  readonly from?: unknown
  readonly to?: unknown
}

type Listener = (code: WireNoteCode, subject: NoteSubject) => void

/** Receives the notes of the response that is being read. Reading is synchronous, so that there is at most one. */
let listener: Listener | undefined

/** Notes that a part of the response is read as other than it was received. Does nothing without a tap. */
export function note(code: WireNoteCode, from?: unknown, further?: Omit<NoteSubject, 'from'>): void {
  listener?.(code, { from, ...further })
}

/** Reads a part of a response, and passes its notes on, to outer listeners as well. The listener must not throw. */
export function noting<T>(to: Listener, read: () => T): T {
  const before = listener
  listener = (code, subject) => {
    before?.(code, subject)
    to(code, subject)
  }
  try {
    return read()
  } finally {
    listener = before
  }
}
