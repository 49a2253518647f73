/** Writes a reply in one protocol, as stream events or as one object. */
export interface ReplyWriter<Event = object> {
  start(): readonly Event[]
  /** Adds text of this kind. An empty string starts an empty block, if the protocol supports empty blocks. */
  add(kind: TextKind, text: string): readonly Event[]
  addCalls(calls: readonly ReplyCall[]): readonly Event[]
  end(end: ReplyEnd): readonly Event[]
  /** Ends the stream with an error. */
  fail(error: ReplyError): readonly Event[]
  /** Returns the complete reply. Call `end` first. */
  whole(): object
}

/** Writes replies whose calls are streamed one after another, while the model writes the reply. */
export interface StreamedReplyWriter<Event = object> extends ReplyWriter<Event> {
  /** Starts a call, or adds to its arguments. Do not add text before the call ends. */
  addToCall(call: Pick<ReplyCall, 'id' | 'name'>, text: string): readonly Event[]
  /** Ends the call in progress, if there is one. */
  endCall(): readonly Event[]
}

/** Kinds of text. A refusal is sent once, after the text. */
export type TextKind = 'text' | 'reasoning' | 'refusal'

/** A tool call in a reply. */
export interface ReplyCall {
  readonly id: string
  readonly name: string
  /** The arguments as JSON, split into the pieces in which they are streamed. */
  readonly fragments: readonly string[]
  /** Whether the arguments were cut off. Default: false. */
  readonly isCut?: boolean
}

/** How a reply ended. */
export interface ReplyEnd {
  /** The finish reason, with the values that chat completions use. */
  readonly finish: string
  readonly usage: ReplyUsage
  /** Whether the last text was cut off. Default: false. */
  readonly isCut?: boolean
  /** The stop sequence that ended the text. */
  readonly stoppedBy?: string | undefined
  /** Additional fields for the complete reply. */
  readonly more?: object
}

/** A reply's token counts. */
export interface ReplyUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
  /** Input tokens that were read from a cache. */
  readonly cachedInputTokens?: number | undefined
  /** Input tokens that were written to a cache. */
  readonly cacheWriteTokens?: number | undefined
  readonly reasoningTokens?: number | undefined
}

/** A failure as an HTTP status, code and message. */
export interface ReplyError {
  readonly status: number
  readonly code: string | null
  readonly message: string
  /** The name of the invalid request field. */
  readonly param?: string | null
}

/** A stream event. Its type is also its name. */
export interface TypedEvent {
  readonly type: string
  readonly [field: string]: unknown
}
