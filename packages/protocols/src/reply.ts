/** Writes one reply in a protocol: the events of its stream, or the reply as a whole. */
export interface ReplyWriter<Event = object> {
  start(): readonly Event[]
  /** Adds to the text of a kind. An empty text begins one where the protocol can show that. */
  add(kind: TextKind, text: string): readonly Event[]
  addCalls(calls: readonly ReplyCall[]): readonly Event[]
  end(end: ReplyEnd): readonly Event[]
  /** Ends the stream with an error. */
  fail(error: ReplyError): readonly Event[]
  /** Returns the reply that has ended. */
  whole(): object
}

/** A writer of replies whose calls come while they are written, one after the other. */
export interface StreamedReplyWriter<Event = object> extends ReplyWriter<Event> {
  /** Starts a call, or adds to its arguments. No text may come before the call ends. */
  addToCall(call: Pick<ReplyCall, 'id' | 'name'>, text: string): readonly Event[]
  /** Ends the call that has begun, if any. */
  endCall(): readonly Event[]
}

/** A refusal comes once, behind the text. */
export type TextKind = 'text' | 'reasoning' | 'refusal'

/** A tool call of a reply. */
export interface ReplyCall {
  readonly id: string
  readonly name: string
  /** The arguments as JSON, in the pieces of a stream. */
  readonly fragments: readonly string[]
  /** Whether they were cut off. Default: false. */
  readonly isCut?: boolean
}

/** The end of a reply. */
export interface ReplyEnd {
  /** A finish reason of chat completions. */
  readonly finish: string
  readonly usage: ReplyUsage
  /** Whether the last text was cut off. Default: false. */
  readonly isCut?: boolean
  /** The stop sequence that ended the text. */
  readonly stoppedBy?: string | undefined
  /** Further fields of the reply. */
  readonly more?: object
}

/** Token counts of a reply. */
export interface ReplyUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
  /** Those of the input that came from a cache. */
  readonly cachedInputTokens?: number | undefined
  /** Those of the input that were written to a cache. */
  readonly cacheWriteTokens?: number | undefined
  readonly reasoningTokens?: number | undefined
}

/** A failure, in the words of HTTP. */
export interface ReplyError {
  readonly status: number
  readonly code: string | null
  readonly message: string
  /** The field of the request that is not valid. */
  readonly param?: string | null
}

/** An event of a stream, whose type is also its name. */
export interface TypedEvent {
  readonly type: string
  readonly [field: string]: unknown
}
