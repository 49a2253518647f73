import type { WireNote } from '@capstan/core'
import type { ToolShape } from './tool-shapes.js'

/** A client under test. */
export interface WireClient {
  readonly name: string
  /** Whether the errors it throws have this project's `code`, `retryable` and `retryAfterMs`; then they are judged. */
  readonly reportsCodes?: boolean
  /** Whether it reports what it read in another form than was sent. If so, its notes are judged. */
  readonly tellsNotes?: boolean
  /** Asks the question and answers calls until there are no more, at most 6 times. Throws the error that its caller would get. */
  run(question: WireQuestion): Promise<WireReport>
}

/** A question, and the server to ask. */
export interface WireQuestion {
  /** With `/v1` at its end. */
  readonly baseURL: string
  readonly apiKey: string
  readonly model: string
  readonly text: string
  readonly tools: readonly WireTool[]
  /** Whether to request a stream. */
  readonly stream: boolean
  /** Retries of a request. */
  readonly maxRetries: number
  /** What to do with calls that are text. Absent where they are text like any other. */
  readonly textCalls?: 'run' | 'report' | undefined
  readonly signal: AbortSignal
  /** Receives the notes of all responses, from clients of this project. */
  readonly noted?: ((note: WireNote) => void) | undefined
}

/** A tool to offer; call `execute` with the parsed arguments and send back the text it returns. */
export interface WireTool extends ToolShape {
  execute(args: unknown): string
}

/** The end of a run, as its caller sees it. */
export interface WireReport {
  readonly text: string
  readonly refusal?: string | undefined
  /** Whether the caller can see that the answer is not complete. */
  readonly incomplete?: boolean | undefined
  /** The streamed text, as the caller reads it. */
  readonly streamed?: string | undefined
  /** How often the caller was told of calls that are text. */
  readonly textCalls?: number | undefined
}
