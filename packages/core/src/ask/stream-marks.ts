import { isRecord } from '../words/record.js'
import { isNothing, toText } from './loose.js'
import type { ServerEvent } from './sse.js'

/** Whether the data of an event say that the stream is over. */
export function isEndMark(data: string): boolean {
  return /^"?(\[done\]|done)"?$/i.test(data)
}

/** Whether an event is named as an error; it is one then, whatever its data. */
export function isErrorName(type: string): boolean {
  return /(^|[._-])(error|failed|exception)$/i.test(type)
}

/** Whether an event says, in words, nothing but that the server is alive: a word for that, the time of day, nothing at all. */
export function isHeartbeat({ type, data }: ServerEvent): boolean {
  return data === '' || isAliveWord(type) || isAliveWord(data) || isTimestamp(data) || isComment(data)
}

/** Whether the JSON of an event says no more than that. */
export function isIdle(value: unknown): boolean {
  if (value === undefined) return false
  return isNothing(value) || (isRecord(value) && [value.type, value.object, value.event].some(isAliveWord))
}

function isAliveWord(word: unknown): boolean {
  return /^["[]*(ping|pong|keep[\s_-]?alive|heart[\s_-]?beat)[\]"]*$/i.test(toText(word).trim())
}

function isTimestamp(data: string): boolean {
  return /^"?([\d\s.:TZ+-]+|\w{3}, \d\d \w{3} \d{4} [\d:]+ \w+)"?$/.test(data)
}

/** A comment that was put into an event. */
function isComment(data: string): boolean {
  return /^:[^{}[\]"]*$/.test(data)
}
