import { withoutUndefined } from './json.js'
import type { RunState } from './types/state.js'

/** The kind of failure, for programs to handle. A new version may add codes. */
export type ErrorCode =
  | 'api'
  | 'auth'
  | 'rate_limit'
  | 'quota'
  | 'invalid_request'
  | 'context_length_exceeded'
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
  /** The facts that the error is based on, without secrets or conversations. */
  readonly evidence?: Readonly<Record<string, unknown>> | undefined
  readonly cause?: unknown
  /** Whether the same request may succeed if it is sent again. Default false. */
  readonly retryable?: boolean
  readonly retryAfterMs?: number | undefined
  /** The HTTP status, if there was one. */
  readonly status?: number | undefined
}

/** The URL under which the documentation has a page for each error code. */
const pages = 'https://capstan-dev.github.io/capstan/errors/'

/** The error that Capstan throws: a code for programs, a message that states what to do, and the evidence. */
export class CapstanError extends Error {
  override readonly name = 'CapstanError'
  /** The URL of the documentation page about this code. */
  declare readonly help: string
  declare readonly retryable: boolean
  declare readonly evidence?: Readonly<Record<string, unknown>>
  declare readonly retryAfterMs?: number
  declare readonly status?: number
  /**
   * The run's state so far, from which you can resume. Not enumerable, so that a printed error does not show the
   * conversation.
   */
  declare readonly state?: RunState

  /** Accepts errors from other copies of this package: in CommonJS, each entry point has its own copy. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isCapstanError(value)
  }

  constructor(
    readonly code: ErrorCode,
    message: string,
    { cause, retryable = false, evidence, retryAfterMs, status }: ErrorDetails = {},
  ) {
    super(message, withoutUndefined({ cause }))
    Object.assign(
      this,
      { retryable, help: pages + code },
      withoutUndefined({ evidence, retryAfterMs, status }),
    )
  }
}

/** Creates the error for a request that cannot be sent or run as given. */
export function invalidRequest(message: string, evidence?: ErrorDetails['evidence']): CapstanError {
  return new CapstanError('invalid_request', message, { evidence })
}

/** Creates the error for an option with an invalid value: `invalid_request`, with the option's name as evidence. */
export function invalidOption(option: string, message: string): CapstanError {
  return invalidRequest(message, { option })
}

/** Creates a retryable error for an unusable response: a repeated request may get a better one. */
export function badResponse(
  message: string,
  evidence?: ErrorDetails['evidence'],
  code: ErrorCode = 'invalid_response',
): CapstanError {
  return new CapstanError(code, message, { retryable: true, evidence })
}

/** A global symbol, so that all copies of this package share it. */
const forModelMark = Symbol.for('capstan.forModel')

/**
 * Throw this from a tool to send the model an error message. The message is sent unchanged, so keep secrets out of it.
 */
export class ToolError extends Error {
  override readonly name: string = 'ToolError'

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    forModel(this)
  }
}

/** Marks an error so that the model always gets its message. Returns the error. */
export function forModel<Thrown extends Error>(error: Thrown): Thrown {
  return Object.defineProperty(error, forModelMark, { value: true })
}

/** Whether `forModel` has marked a thrown value. False for a value that cannot be read. */
export function isForModel(thrown: unknown): boolean {
  try {
    return thrown instanceof Error && forModelMark in thrown
  } catch {
    return false
  }
}

/** Whether a value is a CapstanError, including one from another copy of this package. */
export function isCapstanError(value: unknown): value is CapstanError {
  return value instanceof Error && value.name === 'CapstanError' && 'code' in value
}

/** The name of the application function that threw each error, as recorded by `calling`. */
export const sources = new WeakMap<object, string>()

/** Returns a CapstanError with the run's state. Wraps any other thrown value, with the original in `cause`. */
export function withState(thrown: unknown, state: RunState): CapstanError {
  const error = isCapstanError(thrown)
    ? thrown
    : new CapstanError('api', `${sources.get(Object(thrown)) ?? 'The run'} failed: ${messageOf(thrown)}`, {
        cause: thrown,
      })
  Object.defineProperty(error, 'state', { value: state, enumerable: false, configurable: true })
  return error
}

/** Returns the code of a thrown value: `api` unless it is a CapstanError. */
export function codeOf(thrown: unknown): ErrorCode {
  return isCapstanError(thrown) ? thrown.code : 'api'
}

/** Returns the message of any thrown value, even one that throws when it is read. */
export function messageOf(thrown: unknown): string {
  try {
    const { message } = Object(thrown) as { message?: unknown }
    return String(message || thrown)
  } catch {
    return 'An unreadable value was thrown.'
  }
}
