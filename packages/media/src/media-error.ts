import { CapstanError, type ErrorCode, isCapstanError } from '@capstan/core'

/** Where a request went. */
export interface Place {
  readonly endpoint: string
  readonly baseURL: string
}

/** The error of a request that got no usable answer: what the `openai` client, or fetch, threw. */
export function toMediaError(thrown: unknown, { endpoint, baseURL }: Place): CapstanError {
  const { status, error, headers, requestID } = thrown as ClientError
  if (typeof status !== 'number') return toNetworkError(thrown, `${baseURL}${endpoint}`)
  const { code, retryable, advice } = classify(status, error)
  const retryAfterMs = toRetryAfter(headers)
  const said = typeof error?.message === 'string' ? error.message : 'no words'
  // No cause: the client's error keeps all of the answer, and an answer may repeat the key.
  return new CapstanError(code, `${endpoint} answered ${status}: ${ended(said)}${advice}`, {
    status,
    retryable,
    evidence: { endpoint, status, ...(requestID ? { requestID } : {}) },
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
}

/** Runs work whose errors may quote what was sent: servers like to repeat a wrong key in their message. */
export async function withoutKey<T>(key: unknown, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const secret = typeof key === 'string' ? key.trim() : ''
    throw secret.length >= 6 && isCapstanError(error) ? redact(error, secret) : error
  }
}

/** What the client's errors of either major have in common. */
interface ClientError {
  readonly status?: unknown
  readonly error?: { readonly message?: unknown; readonly code?: unknown; readonly type?: unknown }
  readonly headers?: unknown
  readonly requestID?: unknown
}

interface Verdict {
  readonly code: ErrorCode
  readonly retryable: boolean
  readonly advice: string
}

function classify(status: number, error: ClientError['error']): Verdict {
  const label = `${error?.code} ${error?.type}`
  if (/insufficient_quota|billing/.test(label) || status === 402) {
    return verdict('quota', false, ' Check the plan and billing of the account.')
  }
  if (status === 401 || status === 403) return verdict('auth', false, ' Check the API key.')
  if (status === 404 && /model/i.test(`${label} ${error?.message}`)) {
    return verdict('not_found', false, ' Name another model in the option "models".')
  }
  if (status === 404 || status === 405) {
    return verdict('unsupported', false, ' This server may not offer it: check baseURL or use another one.')
  }
  if (status === 501) return verdict('unsupported', false, '')
  if (status === 408 || status === 504) return verdict('timeout', true, '')
  if (status === 429) return verdict('rate_limit', true, '')
  const early = status === 409 || status === 425
  return status < 500 ? verdict('invalid_request', early, '') : verdict('api', true, '')
}

function verdict(code: ErrorCode, retryable: boolean, advice: string): Verdict {
  return { code, retryable, advice }
}

function ended(text: string): string {
  return /[.!?"]$/.test(text) ? text : `${text}.`
}

function toRetryAfter(headers: unknown): number | undefined {
  const seconds = headers instanceof Headers ? Number(headers.get('retry-after') ?? Number.NaN) : Number.NaN
  return seconds >= 0 ? seconds * 1000 : undefined
}

function toNetworkError(thrown: unknown, url: string): CapstanError {
  const reason = reasonOf(thrown)
  if (isAboutKeys(thrown)) {
    return new CapstanError('auth', `Nothing was sent to ${url}: ${reason}.`, { cause: thrown })
  }
  const late = /timed? ?out/i.test(`${thrown} ${reason}`)
  const message = `No answer from ${url}: ${reason}. Check baseURL and whether the server runs.`
  return new CapstanError(late ? 'timeout' : 'network', message, { retryable: true, cause: thrown })
}

/** Whether the client refused to begin for want of a key. */
export function isAboutKeys(thrown: unknown): boolean {
  return /missing credentials|authentication method|'apiKey' function/i.test(String(thrown))
}

/** fetch and the client say no more than "failed"; the reason is at the end of the causes. */
export function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  const { cause, code } = thrown as Error & { code?: unknown }
  if (cause instanceof Error) return reasonOf(cause)
  return (thrown.message || String(code ?? thrown.name)).replace(/\.$/, '')
}

function redact(error: CapstanError, key: string): CapstanError {
  const { code, message, evidence = {}, retryable, retryAfterMs, status } = error
  if (!`${message}${JSON.stringify(evidence)}`.includes(key)) return error
  const hide = (text: string) => text.replaceAll(key, '[redacted]')
  return new CapstanError(code, hide(message), {
    retryable,
    evidence: JSON.parse(hide(JSON.stringify(evidence))),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(status === undefined ? {} : { status }),
  })
}
