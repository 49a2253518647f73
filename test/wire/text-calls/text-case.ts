import type { ToolShape } from '../tool-shapes.js'

/** A call as a program reads it. */
export interface ToolCallData {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** A reply that is, or looks like, a call written as text. */
export interface TextCase {
  /** Its notation or rule, and its content: `hermes, quotes`. Never changes, and is never given to another case. */
  readonly id: string
  readonly family: string
  /** Where the notation is documented: a file of a public repository, or an issue `owner/repo#number`. */
  readonly evidence: string
  readonly tools: readonly ToolShape[]
  readonly question: string
  /** Reasoning that the server sends in a field of its own. */
  readonly reasoning?: string
  /** Reasoning in front of the call, which a stream may show. */
  readonly shown?: string
  /** Words beside the call, which are the text of its message. */
  readonly words?: string
  /** The whole text of the reply. */
  readonly text: string
  /** The calls that run where text calls run. `[]` for a text that is no call. */
  readonly calls: readonly ToolCallData[]
  /** What the tool returned before this reply. Default: the reply is the first one, and there was no call. */
  readonly toolResult?: string
  /** Characters of each piece of a stream. */
  readonly pieceLength: number
}
