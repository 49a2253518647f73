import { CapstanError, type ErrorCode } from '../words/error.js'
import { getOwn, isFilled, isRecord, toText } from './loose.js'

/** An answer that is an error, or holds one. */
export interface FailedResponse {
  readonly status: number
  readonly body: string
  header(name: string): string | null
}

/** The error that a failed answer says, with the server's own words wherever it hides them. */
export function toApiError({ status, body, header }: FailedResponse): CapstanError {
  const parsed = tryJson(body)
  const said = findMessage(parsed) ?? readPage(body)
  const actual = bodyStatus(parsed, status)
  const { code, retryable, advice } = classify(actual, parsed)
  const retryAfterMs = toRetryAfter(header)
  return new CapstanError(code, `The model server answered ${actual}: ${said}${advice}`, {
    status: actual,
    retryable,
    evidence: { status: actual, body: body.slice(0, 2000) },
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
}

/** The error object of an answer or chunk that came with status 200, if it holds one. */
export function findError(body: unknown): unknown {
  if (!isRecord(body)) return undefined
  if (isFilled(body.error)) return body.error
  const [choice] = Array.isArray(body.choices) ? body.choices : []
  return isRecord(choice) && isFilled(choice.error) ? choice.error : undefined
}

interface Verdict {
  readonly code: ErrorCode
  readonly retryable: boolean
  readonly advice: string
}

function classify(status: number, body: unknown): Verdict {
  const label = [errorField(body, 'code'), errorField(body, 'type')].map(toText).join(' ')
  if (/insufficient_quota|billing/.test(label))
    return verdict('quota', false, ' Check the plan and billing of the account.')
  if (status === 401 || status === 403) return verdict('auth', false, ' Check the API key.')
  if (status === 404) return verdict('not_found', false, ' Check the model name and baseURL.')
  if (status === 408 || status === 504) return verdict('timeout', true, '')
  if (status === 429) return verdict('rate_limit', true, '')
  if (status >= 400 && status < 500) return verdict('invalid_request', status === 409 || status === 425, '')
  return verdict('api', true, '')
}

function verdict(code: ErrorCode, retryable: boolean, advice: string): Verdict {
  return { code, retryable, advice }
}

/** Gateways answer 200 and put the real status into the body. */
function bodyStatus(body: unknown, status: number): number {
  if (status >= 400) return status
  const said = [errorField(body, 'status'), errorField(body, 'code'), isRecord(body) ? body.code : undefined]
  return said.map(Number).find((code) => code >= 400 && code <= 599) ?? 500
}

function errorField(body: unknown, field: string): unknown {
  const found = findError(Array.isArray(body) ? body[0] : body)
  return isRecord(found) ? getOwn(found, field) : undefined
}

function findMessage(body: unknown): string | undefined {
  if (Array.isArray(body)) return findMessage(body[0])
  if (!isRecord(body)) return undefined
  const found = findError(body)
  const candidates = [isRecord(found) ? found.message : found, body.message, body.detail, body.msg]
  for (const candidate of candidates) {
    const text = Array.isArray(candidate)
      ? candidate.map((one) => (isRecord(one) ? toText(one.msg) : toText(one))).join('; ')
      : toText(candidate)
    if (text !== '') return text
  }
  return found === undefined ? undefined : JSON.stringify(found)
}

/** The words of a page or of a plain body. */
function readPage(whole: string): string {
  const body = whole.slice(0, 10_000)
  const title = /<title[^>]*>([^<]*)</i.exec(body)?.[1]
  if (title !== undefined) return `an HTML page, "${title.trim()}"`
  const words = body
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return words === '' ? 'an empty body' : words.slice(0, 300)
}

function toRetryAfter(header: (name: string) => string | null): number | undefined {
  const ms = Number(header('retry-after-ms') ?? Number.NaN)
  if (Number.isFinite(ms) && ms >= 0) return ms
  const after = header('retry-after')
  if (after === null) return undefined
  const seconds = Number(after)
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(after) - Date.now()
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined
}

function tryJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
