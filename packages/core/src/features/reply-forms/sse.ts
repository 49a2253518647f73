import { isRecord } from '../../json.js'
import { isEmptyValue, toText } from '../../model/reply-fields.js'
import { note } from '../../types/wire.js'

/** One server-sent event; `type` is `message` unless the server named it. */
export interface ServerEvent {
  readonly type: string
  readonly data: string
}

/**
 * Decodes server-sent events from text that is cut anywhere. Events without data and name are heartbeats and are not
 * reported. The last event counts without its empty line too. Unknown lines that look like JSON are data: dropping them
 * could lose part of a reply that still reads well.
 */
export class EventDecoder {
  readonly #onEvent: (event: ServerEvent) => void
  /** The beginning of an incomplete line. */
  #rest = ''
  /** Whether the last piece ended in a CR: a following LF belongs to it. */
  #afterCr = false
  #type = ''
  #data: string[] = []

  constructor(onEvent: (event: ServerEvent) => void) {
    this.#onEvent = onEvent
  }

  write(text: string): void {
    const own = this.#afterCr && text.startsWith('\n') ? text.slice(1) : text
    if (text !== '') this.#afterCr = text.endsWith('\r')
    // Nearly every server sends LF line ends.
    const lines = own.includes('\r') ? own.replace(/\r\n?/g, '\n') : own
    let start = 0
    for (let end = lines.indexOf('\n'); end !== -1; end = lines.indexOf('\n', start)) {
      this.#line(this.#rest + lines.slice(start, end))
      this.#rest = ''
      start = end + 1
    }
    this.#rest += lines.slice(start)
  }

  /** Ends the stream and dispatches the last event. */
  end(): void {
    this.#line(this.#rest)
    this.#dispatch()
  }

  #line(line: string): void {
    if (line === '') this.#dispatch()
    else if (line.startsWith('data: ')) this.#data.push(line.slice(6))
    else this.#field(line)
  }

  /** Reads any other line. The field name may be in any case, with byte order marks and spaces before it. */
  #field(line: string): void {
    const [all, field = '', value = ''] = /^[\ufeff\s]*(?:([a-z]+)[ \t]*)?(?:: ?(.*))?$/is.exec(line) ?? []
    const name = all === undefined ? 'unknown' : field.toLowerCase()
    if (name === 'event') this.#type = value
    // Comments, fields without a meaning here, and unknown fields without JSON are ignored.
    else if (name === 'data' || (!['', 'id', 'retry'].includes(name) && /[{}[\]"]/.test(line))) {
      if (!/^data(:|$)/.test(line)) note('line-without-data', line)
      this.#data.push(name === 'data' ? value : line)
    }
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

/** Whether the data of an event marks the end of the stream. */
export function isEndMark(data: string): boolean {
  return /^"?(\[done\]|done)"?$/i.test(data)
}

/** Whether an event's name marks it as an error, whatever its data. */
export function isErrorName(type: string): boolean {
  return /(^|[._-])(error|failed|exception)$/i.test(type)
}

/** Whether an event is only a heartbeat: a keep-alive word, a timestamp, a comment that was sent as data, or no data. */
export function isHeartbeat({ type, data }: ServerEvent): boolean {
  return isAliveWord(type) || isAliveWord(data) || noData.test(data)
}

const noData = /^("?([\d\s.:TZ+-]+|\w{3}, \d\d \w{3} \d{4} [\d:]+ \w+)"?|:[^{}[\]"]*)?$/

/** Whether the JSON of an event is only a heartbeat. */
export function isHeartbeatJson(value: unknown): boolean {
  if (value === undefined) return false
  return isEmptyValue(value) || (isRecord(value) && [value.type, value.object, value.event].some(isAliveWord))
}

function isAliveWord(word: unknown): boolean {
  return /^["[]*(ping|pong|keep[\s_-]?alive|heart[\s_-]?beat)[\]"]*$/i.test(toText(word).trim())
}
