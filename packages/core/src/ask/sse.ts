/** One server-sent event; `type` is `message` unless the server named it. */
export interface ServerEvent {
  readonly type: string
  readonly data: string
}

/**
 * Decodes server-sent events from text that is cut anywhere. Events without data are heartbeats and are not
 * reported; the last event counts even when the stream ends without its empty line.
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

  #line(text: string): void {
    if (text === '') {
      this.#dispatch()
      return
    }
    // No field begins so: it is an object, an error as a rule, that a server wrote without one.
    if (text.startsWith('{')) {
      this.#data.push(text)
      return
    }
    const colon = text.indexOf(':')
    const field = colon === -1 ? text : text.slice(0, colon)
    const value = colon === -1 ? '' : text.slice(text[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'data') this.#data.push(value)
    else if (field === 'event') this.#type = value
  }

  #dispatch(): void {
    const event = { type: this.#type || 'message', data: this.#data.join('\n') }
    this.#type = ''
    this.#data = []
    if (event.data.trim() !== '') this.#onEvent(event)
  }
}
