import { isRecord } from '../json.js'
import { isNothing, toText } from './lenient-json.js'

/** One server-sent event; `type` is `message` unless the server named it. */
export interface ServerEvent {
  readonly type: string
  readonly data: string
}

/**
 * Decodes server-sent events from text that is cut anywhere. Events without data and without a name are heartbeats and
 * are not reported; the last event counts even when the stream ends without its empty line. A line that is none of the
 * format's but looks like JSON is taken as data: left out, it could be missing from an answer that still reads well.
 */
export class EventDecoder {
  readonly #onEvent: (event: ServerEvent) => void
  /** The pieces of a line whose end has not come: joined once, however many there are. */
  #rest: string[] = []
  /** Whether the newest piece ended in a CR: an LF that comes next belongs to it. */
  #afterCr = false
  #type = ''
  #data: string[] = []

  constructor(onEvent: (event: ServerEvent) => void) {
    this.#onEvent = onEvent
  }

  write(text: string): void {
    if (this.#afterCr || text.includes('\r')) this.#writeAny(text)
    else this.#writeLines(text)
  }

  /** Text whose lines all end in LF, as those of nearly every server do. */
  #writeLines(text: string): void {
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.#line(this.#take(text.slice(start, end)))
      start = end + 1
    }
    if (start < text.length) this.#rest.push(text.slice(start))
  }

  #writeAny(text: string): void {
    let start = 0
    for (const { 0: mark, index } of text.matchAll(/\r\n?|\n/g)) {
      const isHalf = this.#afterCr && index === 0 && mark === '\n'
      if (!isHalf) this.#line(this.#take(text.slice(start, index)))
      start = index + mark.length
    }
    if (start < text.length) this.#rest.push(text.slice(start))
    if (text !== '') this.#afterCr = text.endsWith('\r')
  }

  /** The stream is over: what came is all there is. */
  end(): void {
    this.#line(this.#take(''))
    this.#dispatch()
  }

  /** The line that ends with this. */
  #take(end: string): string {
    if (this.#rest.length === 0) return end
    const line = this.#rest.join('') + end
    this.#rest = []
    return line
  }

  #line(line: string): void {
    if (line === '') this.#dispatch()
    else if (line.startsWith('data: ')) this.#data.push(line.slice(6))
    else this.#field(line)
  }

  /** Any other line, its field in any case, with marks and spaces before it. */
  #field(line: string): void {
    const [all, field = '', value = ''] = /^[\ufeff\s]*(?:([a-z]+)[ \t]*)?(?:: ?(.*))?$/is.exec(line) ?? []
    const name = all === undefined ? undefined : field.toLowerCase()
    if (name === 'data') this.#data.push(value)
    else if (name === 'event') this.#type = value
    else if (!isPassedOver(name, line)) this.#data.push(line)
  }

  #dispatch(): void {
    if (this.#data.length === 0 && this.#type === '') return
    const [first = ''] = this.#data
    const data = this.#data.length === 1 ? first : this.#data.join('\n')
    const event = { type: this.#type.trim() || 'message', data }
    this.#type = ''
    this.#data = []
    if (event.data.trim() !== '' || event.type !== 'message') this.#onEvent(event)
  }
}

/** Comments, fields without a meaning here, and unknown ones that hold no JSON. */
function isPassedOver(name: string | undefined, line: string): boolean {
  return name === '' || name === 'id' || name === 'retry' || !/[{}[\]"]/.test(line)
}

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
