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
  #rest = ''
  #type = ''
  #data: string[] = []

  constructor(onEvent: (event: ServerEvent) => void) {
    this.#onEvent = onEvent
  }

  write(text: string): void {
    const all = this.#rest + text
    // What was kept has no line end in it, except a CR at its end that waits for the LF of its pair.
    let start = 0
    let from = Math.max(0, this.#rest.length - 1)
    for (;;) {
      const end = nextLineEnd(all, from)
      const isHalf = all[end] === '\r' && end === all.length - 1
      if (end === -1 || isHalf) break
      this.#line(all.slice(start, end))
      start = end + (all[end] === '\r' && all[end + 1] === '\n' ? 2 : 1)
      from = start
    }
    this.#rest = all.slice(start)
  }

  /** The stream is over: what came is all there is. */
  end(): void {
    this.#line(this.#rest.replace(/\r$/, ''))
    this.#rest = ''
    this.#dispatch()
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

function nextLineEnd(text: string, from: number): number {
  const lf = text.indexOf('\n', from)
  const cr = text.indexOf('\r', from)
  return cr === -1 || (lf !== -1 && lf < cr) ? lf : cr
}
