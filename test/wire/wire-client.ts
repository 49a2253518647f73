import type { ToolShape } from './tool-shapes.js'

/** A client under test. */
export interface WireClient {
  readonly name: string
  /** Whether the errors it throws have this project's `code`, `retryable` and `retryAfterMs`; then they are judged. */
  readonly reportsCodes?: boolean
  /** Asks the question, answers calls until there is none, at most 6 times. Throws what its caller would get. */
  run(question: WireQuestion): Promise<WireReport>
}

/** What to ask, and where. */
export interface WireQuestion {
  /** With `/v1` at its end. */
  readonly baseURL: string
  readonly apiKey: string
  readonly model: string
  readonly text: string
  readonly tools: readonly WireTool[]
  /** Whether to ask for a stream. */
  readonly stream: boolean
  /** How often a request may be sent again. */
  readonly maxRetries: number
  readonly signal: AbortSignal
}

/** A tool to offer; call `execute` with the parsed arguments and send back the text it returns. */
export interface WireTool extends ToolShape {
  execute(args: unknown): string
}

/** The end of a run, as its caller sees it. */
export interface WireReport {
  readonly text: string
  readonly refusal?: string | undefined
  /** The caller can see that this is not the whole answer. */
  readonly incomplete?: boolean | undefined
}
