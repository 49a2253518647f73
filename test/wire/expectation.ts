import type { ErrorCode } from '@capstan/core'

/** What should come of a case. */
export interface Expectation {
  /** The calls that are run, in any order. */
  readonly calls: readonly ExpectedCall[]
  /** The assistant's text in the first answer. Not checked when absent. */
  readonly text?: string
  /** The text the run ends with. Not checked when absent. */
  readonly finalText?: string
  /** This refusal reaches the caller. */
  readonly refusal?: string
  /** The caller can see that the answer is not the whole one. */
  readonly incomplete?: true
  /** A failure is reported. Without it, and without `incomplete`, nothing may be reported as wrong. */
  readonly error?: ExpectedError
  /** Fields of the assistant's message that the follow-up sends back, by path. */
  readonly echo?: Readonly<Record<string, unknown>>
  /** No request holds half a surrogate pair. */
  readonly wellFormed?: true
  /** Names in the history are such as every server accepts. */
  readonly usableNames?: true
  /** How often the question is asked. Default: once, unless a retryable failure may end in a retry. */
  readonly asked?: number
}

export interface ExpectedCall {
  readonly name: string
  readonly arguments?: unknown
  /** In place of arguments too big to write down: the length of each. */
  readonly lengths?: Readonly<Record<string, number>>
}

export interface ExpectedError {
  /**
   * `request`: the caller gets it. `call`: the caller, or the model in that call's tool message; the other calls
   * of the answer still run.
   */
  readonly scope: 'request' | 'call'
  /** Any of these, where a client reports this project's codes. */
  readonly codes: readonly ErrorCode[]
  /** Whether asking again can help. Either when absent. */
  readonly retryable?: boolean
  /** With retries, the question is not asked again before that. */
  readonly retryAfterMs?: number
  /** The report contains these, in any case. */
  readonly mentions: readonly string[]
}

type Further = Omit<Expectation, 'calls'>
type Codes = ErrorCode | readonly ErrorCode[]
type ErrorFacts = Partial<Omit<ExpectedError, 'scope' | 'codes'>> & Pick<Partial<Expectation>, 'calls'>

/** This one call is run. */
export function ran(name: string, args: unknown, further: Further = {}): Expectation {
  return { calls: [{ name, arguments: args }], ...further }
}

/** These calls are run. */
export function ranAll(calls: readonly (readonly [string, unknown])[], further: Further = {}): Expectation {
  return { calls: calls.map(([name, args]) => ({ name, arguments: args })), ...further }
}

/** Nothing is run; this is the answer. */
export function said(text: string, further: Further = {}): Expectation {
  return { calls: [], text, ...further }
}

/** The model call fails and the caller is told. */
export function requestFails(codes: Codes, facts: ErrorFacts = {}): Expectation {
  return failure('request', codes, facts)
}

/** A call fails and the caller or the model is told. */
export function callFails(codes: Codes, facts: ErrorFacts = {}): Expectation {
  return failure('call', codes, facts)
}

function failure(
  scope: ExpectedError['scope'],
  codes: Codes,
  { calls = [], ...facts }: ErrorFacts,
): Expectation {
  const list = typeof codes === 'string' ? [codes] : codes
  return { calls, error: { scope, codes: list, mentions: [], ...facts } }
}
