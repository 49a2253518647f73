import type { RunState } from './types/state.js'

/** What went wrong, for programs. The list is closed: new kinds of failure need a new version. */
export type ErrorCode =
  | 'api'
  | 'auth'
  | 'rate_limit'
  | 'quota'
  | 'invalid_request'
  | 'not_found'
  | 'timeout'
  | 'network'
  | 'truncated'
  | 'invalid_response'
  | 'invalid_arguments'
  | 'unknown_tool'
  | 'unsupported'
  | 'invalid_tool'
  | 'invalid_state'
  | 'conflict'
  | 'stopped'

export interface ErrorDetails {
  /** What was seen: never a secret, never a conversation. */
  readonly evidence?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
  /** Whether the same request may succeed when sent again. Default false. */
  readonly retryable?: boolean
  readonly retryAfterMs?: number
  /** The HTTP status, where there was one. */
  readonly status?: number
}

/** The one error class: a code for programs, a sentence for people that says what to do, and the evidence. */
export class CapstanError extends Error {
  override readonly name = 'CapstanError'
  readonly retryable: boolean
  declare readonly evidence?: Readonly<Record<string, unknown>>
  declare readonly retryAfterMs?: number
  declare readonly status?: number
  /** What the run had so far, to go on from. Not enumerable: printing an error prints no conversation. */
  declare readonly state?: RunState

  /** Errors of another copy of this package count as well: in CommonJS each of its entries holds one. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isCapstanError(value)
  }

  constructor(
    readonly code: ErrorCode,
    message: string,
    details: ErrorDetails = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.retryable = details.retryable ?? false
    if (details.evidence) this.evidence = details.evidence
    if (details.retryAfterMs !== undefined) this.retryAfterMs = details.retryAfterMs
    if (details.status !== undefined) this.status = details.status
  }
}

/** Known to all copies of this package. */
const forModelMark = Symbol.for('capstan.forModel')

/** An error whose message is for the model: it reads it as it is, credentials included. Throw it from a tool. */
export class ToolError extends Error {
  override readonly name: string = 'ToolError'

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    forModel(this)
  }
}

/** Marks an error whose message the model may always read. */
export function forModel<Thrown extends Error>(error: Thrown): Thrown {
  return Object.defineProperty(error, forModelMark, { value: true })
}

/** Whether the message of a thrown value is for the model. False for what cannot be read. */
export function isForModel(thrown: unknown): boolean {
  try {
    return thrown instanceof Error && forModelMark in thrown
  } catch {
    return false
  }
}

/** Whether a value is a CapstanError, also one from another copy of this package. */
export function isCapstanError(value: unknown): value is CapstanError {
  return value instanceof Error && value.name === 'CapstanError' && 'code' in value
}

/** The error with the run's state on it; anything else thrown is wrapped, its original in `cause`. */
export function withState(thrown: unknown, state: RunState): CapstanError {
  const error = isCapstanError(thrown)
    ? thrown
    : new CapstanError('api', `The run failed: ${messageOf(thrown)}`, { cause: thrown })
  Object.defineProperty(error, 'state', { value: state, enumerable: false, configurable: true })
  return error
}

/** The message of whatever was thrown, also of what resists being read. */
export function messageOf(thrown: unknown): string {
  try {
    const { message } = Object(thrown) as { message?: unknown }
    return String(message || thrown)
  } catch {
    return 'Something that cannot be read was thrown.'
  }
}
