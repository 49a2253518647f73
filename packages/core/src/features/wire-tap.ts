import { isObject, tryJson } from '../json.js'
import { promisesCalls, toToolName } from '../model/reply-fields.js'
import { withoutSecrets } from '../model/response-errors.js'
import { namesSecret, redacted } from '../secrets/secret-names.js'
import { parseArguments } from '../tools/parse-arguments.js'
import { callsOf } from '../types/message.js'
import type { ExchangeTap, ModelReply, WireListener, WireRequest, WireTap } from '../types/model.js'
import {
  type NoteSubject,
  note,
  noting,
  type TappedRequest,
  type Transport,
  type WireNote,
  type WireNoteCode,
} from '../types/model.js'

/**
 * Creates a tap for model requests: `{ ...request, tap: wireTap({ sent }, request.tap) }`. `sent` is called before each
 * request, including retries, and returns a receiver for the response. Errors that the listener throws are ignored.
 * `other` is the request's existing tap.
 */
export function wireTap(listener: WireListener, other?: WireTap): WireTap {
  return {
    exchange(sending) {
      if (!other) return tellExchange(listener, sending)
      const send: typeof sending.send = (transport, noting) => {
        const within: typeof sending.send = (tapped, inner) =>
          sending.send(tapped, (read) => noting(() => inner(read)))
        return other.exchange({ ...sending, transport, send: within })
      }
      return tellExchange(listener, { ...sending, send })
    },
  }
}

/** Sends one request, reads its reply, and notifies a listener. */
async function tellExchange(listener: WireListener, sending: TappedRequest<ModelReply>): Promise<ModelReply> {
  const { secrets, signal, transport, send } = sending
  const exchange = new ToldExchange(listener, sending)
  try {
    const reply = await send(exchange.tapped(transport), (read) => exchange.reading(read))
    exchange.end(reply)
    return reply
  } catch (thrown) {
    const error = withoutSecrets(thrown, secrets, signal)
    exchange.fail(error)
    throw error
  }
}

/** One request, as reported to a listener. */
class ToldExchange {
  readonly #sending: TappedRequest<ModelReply>
  readonly #told = new Set<string>()
  #to: ExchangeTap | undefined
  /** An early end of the connection, which is harmless if the reply is complete. */
  #connectionEnd: WireNoteCode | undefined
  /** Whether the body is JSON rather than a stream. Undefined until its first character arrives. */
  #isJson: boolean | undefined

  constructor(listener: WireListener, sending: TappedRequest<ModelReply>) {
    this.#sending = sending
    const request = new ShownRequest(sending)
    quietly(() => {
      this.#to = listener.sent(request)
    })
  }

  /** Calls `read`, which reads part of the response, and reports the notes that `read` makes. */
  reading<T>(read: () => T): T {
    return noting((code, subject) => this.#note(code, subject), read)
  }

  /** Returns a transport that also reports its responses to the listener. */
  tapped(transport: Transport): Transport {
    return async (outgoing) => {
      const response = await transport(outgoing)
      quietly(() =>
        this.#to?.headers?.(response.status, shownHeaders(response.headers(), this.#sending.secrets)),
      )
      const coding = response.header('content-encoding')
      if (coding && coding !== 'identity') this.#note('compressed', { from: coding })
      return {
        status: response.status,
        header: (name) => response.header(name),
        headers: () => response.headers(),
        leave: () => {
          // Otherwise the read ends with the body, or with a chunk after which nothing is needed.
          this.#connectionEnd = 'left-open'
          response.leave()
        },
        read: async (take) => {
          await response
            .read((bytes) => this.#take(bytes, take))
            .catch((error: unknown) => {
              this.#connectionEnd = 'broken-after-end'
              throw error
            })
        },
      }
    }
  }

  end(reply: ModelReply): void {
    const { stream, isTool } = this.#sending
    this.reading(() => {
      if (this.#isJson === stream) note(stream ? 'body-for-stream' : 'stream-for-body')
      if (this.#connectionEnd) note(this.#connectionEnd)
      noteReply(reply, isTool)
    })
    quietly(() => this.#to?.ended({ reply }))
  }

  fail(error: unknown): void {
    quietly(() => this.#to?.ended({ error }))
  }

  #take(bytes: Uint8Array, take: (bytes: Uint8Array) => boolean): boolean {
    quietly(() => this.#to?.received?.(bytes))
    this.#isJson ??= startsAsJson(bytes)
    return this.reading(() => take(bytes))
  }

  /** Reports a note once per call, because thousands of chunks may cause the same note. */
  #note(code: WireNoteCode, subject: NoteSubject): void {
    const key = `${code} ${subject.call}`
    if (!this.#told.has(key)) quietly(() => this.#to?.noted(toNote(code, subject)))
    this.#told.add(key)
  }
}

/**
 * A request as listeners see it. The URL and headers are getters, because listeners that use only notes do not read
 * them.
 */
class ShownRequest implements WireRequest {
  readonly #sending: TappedRequest<ModelReply>

  constructor(sending: TappedRequest<ModelReply>) {
    this.#sending = sending
  }

  get url(): string {
    const { secrets, request } = this.#sending
    return secrets.hide(request.url)
  }

  get headers(): WireRequest['headers'] {
    const { secrets, request } = this.#sending
    return shownHeaders(Object.entries(request.headers).flat(), secrets)
  }

  get body(): WireRequest['body'] {
    return this.#sending.request.body
  }
}

/** Returns headers by lower-case name, with secrets redacted. Names and values alternate in `list`. */
function shownHeaders(
  list: readonly string[],
  secrets: TappedRequest<ModelReply>['secrets'],
): Readonly<Record<string, string>> {
  const shown = new Map<string, string>()
  for (let at = 0; at < list.length; at += 2) {
    const name = (list[at] ?? '').toLowerCase()
    const value = namesSecret(name) ? redacted : secrets.hide(list[at + 1] ?? '')
    const before = shown.get(name)
    shown.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return Object.fromEntries(shown)
}

/** Whether a body with this start is JSON. Undefined if the start is only white space or a byte order mark. */
function startsAsJson(bytes: Uint8Array): boolean | undefined {
  const first = bytes.find((byte) => byte > 32 && ![0xef, 0xbb, 0xbf].includes(byte))
  return first === undefined ? undefined : first === 123
}

function toNote(code: WireNoteCode, { call, from, to }: NoteSubject): WireNote {
  return { code, ...(call === undefined ? {} : { call }), ...excerpt('from', from), ...excerpt('to', to) }
}

function excerpt<Name extends string>(name: Name, value: unknown): { readonly [Key in Name]?: string } {
  if (value === undefined) return {}
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return { [name]: text.slice(0, 200) } as { readonly [Key in Name]?: string }
}

/** Records how a reply, in any protocol, differs from a usual one. */
function noteReply({ message, tokens, finishReason }: ModelReply, isTool: (name: string) => boolean): void {
  const calls = callsOf(message)
  if (!tokens) note('no-usage')
  if (finishReason === undefined) note('no-finish-reason')
  else if (
    calls.length > 0 &&
    !promisesCalls(finishReason) &&
    !/^(length|content_filter)$/.test(finishReason)
  )
    note('calls-despite-reason', finishReason)
  for (const [call, { id, function: called }] of calls.entries()) {
    const { name, arguments: text } = called
    const tool = toToolName(name, isTool) ?? name
    if (id.trim() === '') note('id-missing', undefined, { call })
    if (tool !== name) note('name-cleaned', name, { call, to: tool })
    noteArguments(text, call)
  }
}

function noteArguments(from: string, call: number): void {
  const value = tryJson(from)
  const parsed = parseArguments(from)
  if (!parsed.ok || isObject(value)) return
  const isEmpty = value === null || from.trim() === ''
  const code =
    typeof value === 'string' ? 'arguments-in-string' : isEmpty ? 'arguments-empty' : 'arguments-twice'
  note(code, from, { call, to: parsed.text })
}

function quietly(work: () => void): void {
  try {
    work()
  } catch {
    // A tap only observes, so the run continues if a tap fails.
  }
}
