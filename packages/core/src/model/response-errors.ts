import { CapstanError, type ErrorCode } from '../errors.js'
import { isRecord } from '../json.js'
import type { ToolCall } from '../types/message.js'
import {
  getOwn,
  isTelling,
  type RawJson,
  selectChoice,
  toExcerpt,
  toSnakeCase,
  toText,
} from './lenient-json.js'
import { toRetryAfter } from './retry.js'

/** An answer that is an error, or holds one. */
export interface FailedResponse {
  readonly status: number
  readonly body: string
  header(name: string): string | null
}

/** What a failed answer comes to. */
export interface Failure extends ErrorClass {
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
    ...classifyError(told ?? status, labels),
    status: told ?? status,
    how: isGood ? `${status} with ${told === undefined ? 'an error' : `error ${told}`}` : String(status),
    said: isRedirect(status) ? redirection(header('location')) : serverMessage(body),
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

/** The error of an answer or chunk that came with status 200, if it holds one. */
export function findError(body: unknown): unknown {
  if (!isRecord(body)) return undefined
  if (isTelling(body.error)) return body.error
  const status = statusIn(body)
  if (isTelling(status?.status_code)) return status
  const choice = selectChoice(body)
  const kinds = choice ? [body.object] : [body.object, body.type]
  if (kinds.some((kind) => toText(kind).toLowerCase() === 'error')) return body
  const places = [choice, choice?.delta, choice?.message].filter(isRecord)
  return places.map(({ error }) => error).find((error) => isTelling(error))
}

/** Whether a parsed body or event is a server's way to say that it failed: an error in it, or words without an answer. */
export function isFailure(value: unknown): boolean {
  const body = Array.isArray(value) ? value[0] : value
  if (!isRecord(body)) return false
  if (findError(body) !== undefined) return true
  if (selectChoice(body) || saysSuccess(body)) return false
  return findMessage(body) !== undefined || toldStatus(body) !== undefined
}

/** A server's own message, wherever in a parsed body it is; undefined when there is none. */
export function findMessage(body: unknown): string | undefined {
  const found = findError(body)
  const said = messageIn(found) || messageIn(body)
  if (said !== '') return shorten(said, 1000)
  return found === undefined ? undefined : toExcerpt(found)
}

/** What a body says: the server's own message, the title of a page, else how it begins. Never long. */
export function serverMessage(body: string): string {
  const said = findMessage(tryJson(body))
  if (said !== undefined) return said
  const start = body.slice(0, 10_000)
  const title = /<title[^>]*>([^<]*)</i.exec(start)?.[1]?.trim()
  if (title) return `an HTML page, "${shorten(title, 300)}"`
  return shorten(start.replace(/<[^>]*>/g, ' '), 300) || 'an empty body'
}

/** The fields of a body that hold codes of its failure, wherever they are. */
function fieldsOf(body: unknown, names: readonly string[]): readonly unknown[] {
  const whole = Array.isArray(body) ? body[0] : body
  const places = [findError(whole), whole]
  return places.filter(isRecord).flatMap((one) => names.map((name) => getOwn(one, name)))
}

/** The status of an error that a body tells: gateways answer 200 and put the real one there. */
function toldStatus(body: unknown): number | undefined {
  return fieldsOf(body, ['status', 'code', 'status_code', 'statusCode', 'error_code', 'errorCode'])
    .map(Number)
    .find((code) => code >= 400 && code <= 599)
}

/** The JSON value of a text, or undefined. */
export function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const fields = [
  ...['error', 'message', 'detail', 'msg', 'errors', 'Message'],
  ...['error_message', 'error_msg', 'errorMessage', 'errorMsg', 'status_msg'],
]

function messageIn(value: unknown, depth = 0): string {
  if (depth > 5) return ''
  if (Array.isArray(value)) {
    const all = value.map((one) => messageIn(one, depth + 1))
    return all.filter((one) => one !== '').join('; ')
  }
  if (!isRecord(value)) return toText(value)
  for (const field of fields) {
    const said = messageIn(value[field], depth + 1)
    if (said !== '') return said
  }
  return ''
}

/** Where some servers put code and message of every answer, 0 for a good one. */
function statusIn({ base_resp }: RawJson): RawJson | undefined {
  return isRecord(base_resp) ? base_resp : undefined
}

/** Some gateways put a code and a word for success into every answer. */
function saysSuccess(body: RawJson): boolean {
  const codes = [body.code, body.status, body.status_code, body.errcode]
  return body.success === true || codes.some((code) => /^(0|200|ok|success)$/i.test(toText(code)))
}

function shorten(text: string, most: number): string {
  const words = text.replace(/\s+/g, ' ').trim()
  return words.length <= most ? words : `${words.slice(0, most)}...`
}

/** What a failure is, and whether the same request may succeed later. */
interface ErrorClass {
  readonly code: ErrorCode
  readonly retryable: boolean
}

/**
 * What a status and the words that servers have for codes and types mean. A word that says one thing counts more
 * than the status; without a status of an error a vague one counts as well, and nothing said is the server's fault.
 */
function classifyError(status: number, words: readonly string[]): ErrorClass {
  const said = words.map(toSnakeCase)
  const meant = (list: readonly Meaning[]) => list.find(([word]) => said.some((one) => word.test(one)))?.[1]
  return ofStatus(meant(telling) ?? (status >= 300 ? status : meant(vague)) ?? 500)
}

type Meaning = readonly [word: RegExp, status: number]

const telling: readonly Meaning[] = [
  [/insufficient_(quota|credit|balance)|billing|payment_required/, 402],
  [/rate_limit|too_many_requests|resource_exhausted|throttl/, 429],
  [/(invalid|incorrect|missing)_api_key|api_key_invalid|authentication|unauthenticated|unauthorized/, 401],
  [/^permission_(error|denied)/, 403],
  [/^(model_)?not_found(_error)?$/, 404],
  [/^context_length_exceeded$/, 400],
  [/^(request_|gateway_)?timeout(_error)?$|^deadline_exceeded$/, 408],
]

const vague: readonly Meaning[] = [[/^(invalid|bad)_(request|argument)/, 400]]

function ofStatus(status: number): ErrorClass {
  if (status === 402) return { code: 'quota', retryable: false }
  if (status === 401 || status === 403) return { code: 'auth', retryable: false }
  if (status === 404) return { code: 'not_found', retryable: false }
  if (status === 408 || status === 504) return { code: 'timeout', retryable: true }
  if (status === 429) return { code: 'rate_limit', retryable: true }
  if (status === 501) return { code: 'unsupported', retryable: false }
  if (status >= 500) return { code: 'api', retryable: true }
  return { code: 'invalid_request', retryable: status === 409 || status === 425 }
}

/** For a JSON body that neither answers nor says why not. */
export function withoutChoices(body: RawJson, text: string): CapstanError {
  const fields = Object.keys(body)
  const what = fields.length === 0 ? 'an empty object' : `only ${fields.slice(0, 10).join(', ')}`
  const message = `The model server answered without choices: it sent ${what}. Is baseURL that of a chat completions server?`
  return new CapstanError('invalid_response', message, {
    retryable: true,
    evidence: { excerpt: text.slice(0, 200) },
  })
}

/** For what should have been JSON. */
export function malformed(what: string, text: string): CapstanError {
  const excerpt = text.trim().slice(0, 200)
  // A page comes from another kind of server; asked again, it would send the page again.
  const isPage = /^<(!doctype|html|head|body)/i.test(excerpt)
  const advice = isPage ? ' That is a web page: check baseURL.' : ''
  const message = `The model server sent no valid JSON in ${what}${excerpt === '' ? '' : `: ${excerpt}`}.${advice} Nothing was run.`
  return new CapstanError('invalid_response', message, { retryable: !isPage, evidence: { excerpt } })
}

/** For an answer that is longer than the model may send. */
export function tooLong(maxBytes: number): CapstanError {
  const message = `The model server's answer is longer than ${maxBytes} bytes (maxBytes). Raise maxBytes of the model, or ask for a shorter answer.`
  return new CapstanError('invalid_response', message, { evidence: { maxBytes } })
}

/** For an answer that says that it failed, and nothing more. */
export function failedSilently(how: string): CapstanError {
  const message = `The server ended its answer with ${how} and no word about it: nothing of it was used.`
  return new CapstanError('api', message, { retryable: true })
}

export function noChoices(): CapstanError {
  const message = 'The server answered without a single choice. Sending the request again may help.'
  return new CapstanError('invalid_response', message, { retryable: true })
}

export function callsMissing(finishReason: string): CapstanError {
  const message = `The server ended with finish_reason "${finishReason}" but sent no call. Sending the request again may help.`
  return new CapstanError('invalid_response', message, { retryable: true, evidence: { finishReason } })
}

/** For calls that may go on where the answer stops. */
export function cutOff(calls: readonly ToolCall[]): CapstanError {
  const names = calls.map((call) => call.function.name)
  const message = `The answer was cut off before its end, with calls of ${names.join(', ')} in it: nothing was run.`
  return new CapstanError('truncated', message, { retryable: true, evidence: { calls: names } })
}

/** For a stream that ends in the middle of an event. */
export function cutInside(event: string): CapstanError {
  const excerpt = event.slice(0, 200)
  const message = `The answer was cut off in the middle of an event: ${excerpt}. Nothing was run.`
  return new CapstanError('truncated', message, { retryable: true, evidence: { excerpt } })
}

/** For a call that came without arguments, and arguments that may be its own. */
export function strayArguments(name: string, text: string): CapstanError {
  const excerpt = text.slice(0, 200)
  const message = `The model server sent a call of ${name} without arguments, and then under another id arguments that may be its own: ${excerpt}. Nothing was run.`
  return new CapstanError('invalid_response', message, { retryable: true, evidence: { name, excerpt } })
}

/** For calls in an answer some of whose bytes are no text. */
export function garbled(): CapstanError {
  const message =
    'The model server sent calls in bytes that are no UTF-8, so that their arguments are not known. Nothing was run.'
  return new CapstanError('invalid_response', message, { retryable: true })
}
