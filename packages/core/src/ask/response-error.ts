import { CapstanError, type ErrorCode } from '../words/error.js'
import { toText } from './loose.js'
import { toRetryAfter } from './retry-after.js'
import { fieldsOf, serverWords, toldStatus, tryJson } from './server-words.js'
import { toVerdict, type Verdict } from './verdict.js'

/** An answer that is an error, or holds one. */
export interface FailedResponse {
  readonly status: number
  readonly body: string
  header(name: string): string | null
}

/** What a failed answer comes to. */
export interface Failure extends Verdict {
  /** The HTTP status, or the one that the body of a good answer tells. */
  readonly status: number
  /** How it was answered: `429`, or `200 with error 429`. */
  readonly how: string
  /** The server's own words. */
  readonly said: string
  /** Its words for the kind of failure. */
  readonly labels: readonly string[]
  readonly retryAfterMs?: number
}

/** Reads a failed answer, with the server's own words wherever it hides them. */
export function readFailure({ status, body, header }: FailedResponse): Failure {
  const parsed = tryJson(body)
  const isGood = status >= 200 && status < 300
  const told = isGood ? toldStatus(parsed) : undefined
  const labels = fieldsOf(parsed, ['code', 'type', 'status', '__type', 'status_msg']).map(toText)
  const retryAfterMs = toRetryAfter(header)
  return {
    ...toVerdict(told ?? status, labels),
    status: told ?? status,
    how: isGood ? `${status} with ${told === undefined ? 'an error' : `error ${told}`}` : String(status),
    said: isRedirect(status) ? redirection(header('location')) : serverWords(body),
    labels,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

/** The error that a failed answer of a model server says. */
export function toApiError(failed: FailedResponse): CapstanError {
  const { code, retryable, status, how, said, retryAfterMs } = readFailure(failed)
  return new CapstanError(code, `The model server answered ${how}: ${withAdvice(said, advice[code])}`, {
    status,
    retryable,
    evidence: { status: failed.status, body: failed.body.slice(0, 2000) },
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
}

/** A sentence of the server's and what to do about it. */
export function withAdvice(said: string, advice = ''): string {
  if (advice === '') return said
  return /[.!?"]$/.test(said) ? `${said} ${advice}` : `${said}. ${advice}`
}

const advice: Partial<Record<ErrorCode, string>> = {
  quota: 'Check the plan and billing of the account.',
  auth: 'Check the API key.',
  not_found: 'Check the model name and baseURL.',
}

function isRedirect(status: number): boolean {
  return status === 0 || (status >= 300 && status < 400)
}

/** Redirects are not followed: the key would go along, and a POST may arrive as a GET. */
function redirection(location: string | null): string {
  const to = location?.split(/[?#]/)[0]
  if (!to) return 'it redirects and does not say where. Check baseURL'
  const base = to.replace(/\/(chat\/completions|images\/\w+|audio\/\w+)\/?$/, '')
  if (base === to || !URL.canParse(base)) return `it redirects to ${to}. Check baseURL`
  return `it redirects to ${to}. Set baseURL to "${base}"`
}
