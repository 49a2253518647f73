import { isRecord, isTelling, toExcerpt, toText } from './loose.js'

/** The error of an answer or chunk that came with status 200, if it holds one. */
export function findError(body: unknown): unknown {
  if (!isRecord(body)) return undefined
  if (isTelling(body.error)) return body.error
  const [choice] = Array.isArray(body.choices) ? body.choices : []
  return isRecord(choice) && isTelling(choice.error) ? choice.error : undefined
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

/** The JSON value of a text, or undefined. */
export function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const fields = ['error', 'message', 'detail', 'msg', 'errors']

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

function shorten(text: string, most: number): string {
  const words = text.replace(/\s+/g, ' ').trim()
  return words.length <= most ? words : `${words.slice(0, most)}...`
}
