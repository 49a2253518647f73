import { badResponse, CapstanError, type ErrorCode, isCapstanError } from '../errors.js'
import { getOwn, isFunction, isObject, isRecord, isString, tryJson, tryURL } from '../json.js'
import type { ToolCall } from '../types/message.js'
import { hasContent, maxItems, selectChoice, toExcerpt, toSnakeCase, toText } from './reply-fields.js'

/** A response that is an error, or contains one. */
export interface FailedResponse {
  readonly status: number
  readonly body: string
  /** Whether the error came after the start of a reply. */
  readonly hasBegun?: boolean | undefined
  header(name: string): string | null
}

/** A failed response, parsed and classified. */
export interface Failure extends ErrorClass {
  /** The HTTP status, or the status in the body of a response with status 200. */
  readonly status: number
  /** The status as text: `429`, or `200 with error 429`. */
  readonly statusText: string
  /** The server's own message. For a redirect, a description of the redirect. */
  readonly serverText: string
  /** The server's error codes and types. */
  readonly labels: readonly string[]
  readonly retryAfterMs: number | undefined
}

/** Parses a failed response. Finds the server's message in any field where servers are known to put it. */
export function readFailure({ status, body, header }: FailedResponse): Failure {
  const parsed = tryJson(body)
  const isGood = status >= 200 && status < 300
  const bodyStatus = isGood ? errorStatusIn(parsed) : undefined
  const labels = fieldsOf(parsed, ['code', 'type', 'status', '__type', 'status_msg']).map(toText)
  return {
    ...classifyError(bodyStatus ?? status, labels),
    status: bodyStatus ?? status,
    statusText: isGood
      ? `${status} with ${bodyStatus === undefined ? 'an error' : `error ${bodyStatus}`}`
      : String(status),
    serverText:
      status === 0 || (status >= 300 && status < 400) ? redirection(header('location')) : serverMessage(body),
    labels,
    retryAfterMs: toRetryAfter(header),
  }
}

/**
 * Returns how long a server asks clients to wait, in milliseconds: from `retry-after-ms`, or from `retry-after` in
 * seconds or as a date. Undefined for a negative, past or unreadable value.
 */
export function toRetryAfter(header: (name: string) => string | null): number | undefined {
  const after = header('retry-after') ?? ''
  const seconds = toNumber(after)
  const ms = seconds === undefined ? untilDate(after) : seconds * 1000
  return toNumber(header('retry-after-ms') ?? '') ?? ms
}

/** Parses a plain decimal number. Undefined for anything else, such as "1,5" and "0x10", which are ambiguous. */
function toNumber(text: string): number | undefined {
  return /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined
}

/** Returns the milliseconds until an HTTP or ISO 8601 date. Undefined for a past date, or other text. */
function untilDate(text: string): number | undefined {
  if (!/^\s*([A-Za-z]{3,9}, \d|\d{4}-\d\d-\d\d)/.test(text)) return undefined
  const wait = Date.parse(text) - Date.now()
  return wait > 0 ? wait : undefined
}

/** Creates the error for a failed response from a model server. */
export function toApiError(failed: FailedResponse): CapstanError {
  const failure = readFailure(failed)
  const { code, statusText, serverText } = failure
  const { body, header: _, ...seen } = failed
  const message = `The model server returned ${statusText}: ${withAdvice(serverText, advice[code])}`
  return new CapstanError(code, message, { ...failure, evidence: { ...seen, body: body.slice(0, 2000) } })
}

/**
 * Whether an error means that the server rejected the request: its status says so, and the error came before any part
 * of a reply. Such a part might already be shown.
 */
export function isRefusal(error: unknown): error is CapstanError {
  return (
    isCapstanError(error) &&
    // With 404, the server does not have an item of an earlier reply.
    [400, 404, 422].includes(error.status ?? 0) &&
    ['invalid_request', 'not_found'].includes(error.code) &&
    !error.evidence?.hasBegun
  )
}

/** Appends advice to a server's message. */
export function withAdvice(message: string, advice = ''): string {
  if (advice === '') return message
  return /[.!?"]$/.test(message) ? `${message} ${advice}` : `${message}. ${advice}`
}

const advice: Partial<Record<ErrorCode, string>> = {
  quota: 'Check the plan and billing.',
  auth: 'Check the API key.',
  not_found: 'Check the model name and baseURL.',
}

/**
 * Describes a redirect. Redirects are not followed: that would send the key to a different server, and might turn a
 * POST into a GET.
 */
function redirection(location: string | null): string {
  const to = location?.split(/[?#]/)[0]
  if (!to) return 'it redirects without a location. Check baseURL'
  const base = to.replace(/\/(chat\/completions|responses|messages|images\/\w+|audio\/\w+)\/?$/, '')
  const isKnown = base !== to && tryURL(base)
  return `it redirects to ${to}. ${isKnown ? `Set baseURL to "${base}"` : 'Check baseURL'}`
}

/** Returns the error in a response or chunk with status 200, if there is one. */
export function findError(body: unknown): unknown {
  if (!isRecord(body)) return undefined
  if (hasContent(body.error)) return body.error
  // Some servers put a code and a message into `base_resp` in every response; 0 means success.
  const { base_resp: status } = body
  if (hasContent(getOwn(status, 'status_code'))) return status
  const choice = selectChoice(body)
  const kinds = [body.object, choice ? '' : body.type]
  if (kinds.some((kind) => toText(kind).toLowerCase() === 'error')) return body
  const places = [choice, choice?.delta, choice?.message]
  return places.map((place) => getOwn(place, 'error')).find((error) => hasContent(error))
}

/**
 * Whether a parsed body or event is a failure: it contains an error, or a message or an error status without a choice.
 */
export function isFailure(value: unknown): boolean {
  const body = Array.isArray(value) ? value[0] : value
  if (!isRecord(body)) return false
  if (findError(body) !== undefined) return true
  // Some gateways put a success code into every response.
  const codes = [body.code, body.status, body.status_code, body.errcode]
  const isSuccess = codes.some((code) => /^(0|200|ok|success)$/i.test(toText(code)))
  if (selectChoice(body) || body.success === true || isSuccess) return false
  return findMessage(body) !== undefined || errorStatusIn(body) !== undefined
}

/** Returns the server's own message from any known field of a parsed body. Undefined if there is none. */
export function findMessage(body: unknown): string | undefined {
  const found = findError(body)
  const message = messageIn(found) || messageIn(body)
  if (message !== '') return shorten(message, 1000)
  return found === undefined ? undefined : toExcerpt(found)
}

/** Returns a short description of a body: the server's message, the title of a page, or the start of the body. */
export function serverMessage(body: string): string {
  const message = findMessage(tryJson(body))
  if (message !== undefined) return message
  const start = body.slice(0, 10_000)
  const [, title = ''] = /<title[^>]*>\s*([^<]*)</i.exec(start) ?? []
  if (title) return `an HTML page, "${shorten(title, 300)}"`
  return shorten(start.replace(/<[^>]*>/g, ' '), 300) || 'an empty body'
}

/** Returns the values of these fields in the error and at the top level of a body. */
function fieldsOf(body: unknown, names: readonly string[]): readonly unknown[] {
  const whole = Array.isArray(body) ? body[0] : body
  const places = [findError(whole), whole]
  return places.filter(isRecord).flatMap((one) => names.map((name) => getOwn(one, name)))
}

/** Returns the error status in a body. Gateways send status 200 and put the real status there. */
function errorStatusIn(body: unknown): number | undefined {
  return fieldsOf(body, ['status', 'code', 'status_code', 'statusCode', 'error_code', 'errorCode'])
    .map(Number)
    .find((code) => code >= 400 && code <= 599)
}

const fields =
  'error message detail msg errors Message error_message error_msg errorMessage errorMsg status_msg'.split(
    ' ',
  )

function messageIn(value: unknown, depth = 0): string {
  if (depth > 5) return ''
  const all = (values: readonly unknown[]) => values.map((one) => messageIn(one, depth + 1)).filter(Boolean)
  if (Array.isArray(value)) return all(value).join('; ')
  return isRecord(value) ? (all(fields.map((field) => value[field]))[0] ?? '') : toText(value)
}

function shorten(text: string, maxLength: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= maxLength ? line : `${line.slice(0, maxLength)}...`
}

/** The kind of a failure, and whether the same request may succeed later. */
interface ErrorClass {
  readonly code: ErrorCode
  readonly retryable: boolean
}

/**
 * Classifies a failure by its status and the server's codes. A specific code takes precedence over the status. A vague
 * code counts only if the status is not an error. A failure without a code or an error status is a server error.
 */
function classifyError(status: number, labels: readonly string[]): ErrorClass {
  const normalized = labels.map(toSnakeCase)
  const statusOf = (list: readonly Meaning[]) =>
    list.find(([word]) => normalized.some((one) => word.test(one)))?.[1]
  const meant = statusOf(specificMeanings) ?? (status >= 300 ? status : statusOf(vagueMeanings)) ?? 500
  const isServers = meant >= 500
  return {
    code: codes[meant] ?? (isServers ? 'api' : 'invalid_request'),
    retryable: isServers ? meant !== 501 : [408, 409, 425, 429].includes(meant),
  }
}

type Meaning = readonly [word: RegExp, status: number]

const specificMeanings: readonly Meaning[] = [
  [/insufficient_(quota|credit|balance)|billing|payment_required/, 402],
  [/rate_limit|too_many_requests|resource_exhausted|throttl/, 429],
  [/(invalid|incorrect|missing)_api_key|api_key_invalid|authentication|unauthenticated|unauthorized/, 401],
  [/^permission_(error|denied)/, 403],
  [/^(model_)?not_found(_error)?$/, 404],
  [/^(request_|gateway_)?timeout(_error)?$|^deadline_exceeded$/, 408],
]

const vagueMeanings: readonly Meaning[] = [[/^(invalid|bad)_(request|argument)/, 400]]

const codes: Readonly<Record<number, ErrorCode>> = {
  401: 'auth',
  402: 'quota',
  403: 'auth',
  404: 'not_found',
  408: 'timeout',
  429: 'rate_limit',
  501: 'unsupported',
  504: 'timeout',
}

/** Creates the error for invalid JSON. `what` names the part of the response, such as "the body". */
export function invalidJson(what: string, text: string): CapstanError {
  const excerpt = text.trim().slice(0, 200)
  // A page comes from a different kind of server, so a retry is useless.
  const isPage = /^<(!doctype|html|head|body)/i.test(excerpt)
  const advice = isPage ? ' This is a web page. Check baseURL.' : ''
  const message = `The model server sent invalid JSON in ${what}${excerpt === '' ? '' : `: ${excerpt}`}.${advice} No tool ran.`
  return new CapstanError('invalid_response', message, { retryable: !isPage, evidence: { excerpt } })
}

export function tooManyItems(what: string): CapstanError {
  const message = `The model server sent more than ${maxItems} ${what}. No tool ran.`
  return badResponse(message, { maxItems })
}

/** Creates the error for a reply that the server ended as failed, without a message. */
export function failedWithoutMessage(statusText: string): CapstanError {
  const message = `The model server ended its reply with ${statusText} and no message. No tool ran.`
  return badResponse(message, undefined, 'api')
}

/** Creates the error for a response in which no reply was found. */
export function noChoices(): CapstanError {
  const message = 'The model server replied without a choice. Send the request again.'
  return badResponse(message)
}

export function missingCalls(finishReason: string): CapstanError {
  const message = `The model server sent finish_reason "${finishReason}" without a call. Send the request again.`
  return badResponse(message, { finishReason })
}

/** Creates the error for calls that may be incomplete, because the reply was cut off. */
export function truncatedReply(calls: readonly ToolCall[]): CapstanError {
  const names = calls.map((call) => call.function.name)
  const message = `The reply was cut off, including calls to ${names.join(', ')}. No tool ran.`
  return badResponse(message, { calls: names }, 'truncated')
}

/** Creates the error for a reply that the end of the context window cut off. */
export function windowExceeded(promptTokens: number | undefined): CapstanError {
  const message = 'The reply was cut off: prompt and reply fill the context window. Shorten the conversation.'
  const evidence = promptTokens === undefined ? {} : { promptTokens }
  return new CapstanError('context_length_exceeded', message, { evidence })
}

/** Removes secrets from text. */
interface Secrets {
  hide(text: string): string
}

/**
 * Returns an error without secrets: servers often repeat a wrong key in their messages. The abort reason of `signal`
 * belongs to the caller and is returned unchanged.
 */
export function withoutSecrets(thrown: unknown, secrets: Secrets, signal?: AbortSignal): unknown {
  if (signal?.aborted && thrown === signal.reason) return thrown
  return isCapstanError(thrown) ? redactError(thrown, secrets) : redactThrown(thrown, secrets)
}

function redactError(error: CapstanError, secrets: Secrets): CapstanError {
  const { code, message, evidence, cause, stack } = error
  const redacted = new CapstanError(code, secrets.hide(message), {
    ...error,
    cause: cause && redactThrown(cause, secrets),
    evidence: redactValue(evidence, secrets) as CapstanError['evidence'],
  })
  if (stack !== undefined) redacted.stack = secrets.hide(stack)
  return redacted
}

function redactValue(value: unknown, secrets: Secrets): unknown {
  if (isString(value)) return secrets.hide(value)
  if (Array.isArray(value)) return value.map((one) => redactValue(one, secrets))
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, inner]) => [
    secrets.hide(key),
    redactValue(inner, secrets),
  ])
  return Object.fromEntries(entries)
}

/** Returns the thrown value, or a redacted plain error if it may contain a secret. */
function redactThrown(thrown: unknown, secrets: Secrets): unknown {
  if (isSafeToShow(thrown, (text) => secrets.hide(text) === text)) return thrown
  const hidden = (value: unknown) => (isString(value) ? secrets.hide(value.slice(0, maxLength)) : undefined)
  const [message, name, code] = ['message', 'name', 'code'].map((field) => hidden(fieldOf(thrown, field)))
  const copy = new Error(hidden(thrown) ?? message ?? `a ${typeof thrown} was thrown`)
  if (name) Object.defineProperty(copy, 'name', { value: name, configurable: true, writable: true })
  return code ? Object.assign(copy, { code }) : copy
}

const maxLength = 2000

function fieldOf(thrown: unknown, field: string): unknown {
  try {
    return Object(thrown)[field]
  } catch {
    return undefined
  }
}

/**
 * Whether a thrown value contains no secrets, even if it is printed with all its contents. Only primitives and plain
 * errors can be checked: other classes may print more than is visible.
 */
function isSafeToShow(value: unknown, isSafe: (text: string) => boolean, depth = 0): boolean {
  if (isString(value)) return isSafe(value)
  if (!isObject(value)) return !isFunction(value) && typeof value !== 'symbol'
  if (depth > maxDepth) return false
  const isFine = (one: unknown) => isSafeToShow(one, isSafe, depth + 1)
  try {
    return safePrototypes.includes(Object.getPrototypeOf(value)) && contentsOf(value).every(isFine)
  } catch {
    return false
  }
}

const maxDepth = 10

const safePrototypes: readonly unknown[] = [
  Error,
  TypeError,
  RangeError,
  SyntaxError,
  AggregateError,
  DOMException,
].map((known) => known.prototype)

/** Returns an error's keys, values and inherited fields. For a getter, returns its function. */
function contentsOf(error: Readonly<Record<string, unknown>>): readonly unknown[] {
  const { name, message, stack } = error
  const own = Reflect.ownKeys(error).filter((key) => key !== 'stack')
  return [name, message, stack, ...own, ...own.flatMap((key) => valuesOf(error, key))]
}

function valuesOf(error: object, key: string | symbol): readonly unknown[] {
  const { value, get } = Reflect.getOwnPropertyDescriptor(error, key) ?? {}
  return key === 'errors' && Array.isArray(value) ? [...value] : [value, get]
}
