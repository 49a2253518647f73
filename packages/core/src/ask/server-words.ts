import { isRecord } from '../words/record.js'
import { getOwn, isTelling, type Loose, toExcerpt, toText } from './loose.js'
import { pickChoice } from './pick-choice.js'

/** The error of an answer or chunk that came with status 200, if it holds one. */
export function findError(body: unknown): unknown {
  if (!isRecord(body)) return undefined
  if (isTelling(body.error)) return body.error
  const status = statusIn(body)
  if (isTelling(status?.status_code)) return status
  const choice = pickChoice(body)
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
  if (pickChoice(body) || saysSuccess(body)) return false
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
export function serverWords(body: string): string {
  const said = findMessage(tryJson(body))
  if (said !== undefined) return said
  const start = body.slice(0, 10_000)
  const title = /<title[^>]*>([^<]*)</i.exec(start)?.[1]?.trim()
  if (title) return `an HTML page, "${shorten(title, 300)}"`
  return shorten(start.replace(/<[^>]*>/g, ' '), 300) || 'an empty body'
}

/** The fields of a body that hold codes of its failure, wherever they are. */
export function fieldsOf(body: unknown, names: readonly string[]): readonly unknown[] {
  const whole = Array.isArray(body) ? body[0] : body
  const places = [findError(whole), whole]
  return places.filter(isRecord).flatMap((one) => names.map((name) => getOwn(one, name)))
}

/** The status of an error that a body tells: gateways answer 200 and put the real one there. */
export function toldStatus(body: unknown): number | undefined {
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
function statusIn({ base_resp }: Loose): Loose | undefined {
  return isRecord(base_resp) ? base_resp : undefined
}

/** Some gateways put a code and a word for success into every answer. */
function saysSuccess(body: Loose): boolean {
  const codes = [body.code, body.status, body.status_code, body.errcode]
  return body.success === true || codes.some((code) => /^(0|200|ok|success)$/i.test(toText(code)))
}

function shorten(text: string, most: number): string {
  const words = text.replace(/\s+/g, ' ').trim()
  return words.length <= most ? words : `${words.slice(0, most)}...`
}
