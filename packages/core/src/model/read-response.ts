import { joinBytes } from '../bytes.js'
import { CapstanError, isCapstanError } from '../errors.js'
import { isRecord } from '../json.js'
import { type AssistantMessage, textOf } from '../types/message.js'
import type { ModelReply, ModelSink } from '../types/model.js'
import { readChunk, readWhole } from './fast-path.js'
import { isFilled, isShallow, JsonScanner, type RawJson, toChoices } from './lenient-json.js'
import { MessageBuilder } from './message-builder.js'
import {
  cutInside,
  failedSilently,
  garbled,
  isFailure,
  malformed,
  toApiError,
  tooLong,
  tryJson,
  withoutChoices,
} from './response-errors.js'
import { EventDecoder, isEndMark, isErrorName, isHeartbeat, isIdle, type ServerEvent } from './sse.js'
import { rootCause, type TransportResponse } from './transport.js'

interface ReadOptions {
  readonly isTool: (name: string) => boolean
  readonly sink?: ModelSink | undefined
  readonly signal: AbortSignal
  readonly maxBytes: number
}

/**
 * Reads an answer to its end. Whether it is JSON or a stream its content decides: servers get the header, and
 * even the mode that was asked for, wrong. @throws CapstanError for everything that is no whole reply
 */
export async function readReply(response: TransportResponse, options: ReadOptions): Promise<ModelReply> {
  const reader = new BodyReader(response, options)
  const linger = new IdleCloser(() => response.leave())
  linger.look(reader)
  try {
    await response.read((bytes) => {
      reader.write(bytes)
      linger.look(reader)
      return !reader.isDone
    })
  } catch (error) {
    if (options.signal.aborted) throw options.signal.reason
    if (reader.hasFailed || !reader.isFinished) throw isCapstanError(error) ? error : reader.cutOff(error)
  } finally {
    linger.stop()
  }
  return reader.finish()
}

/** Takes the bytes of a body and tells, from its first character, a stream from anything else. */
class BodyReader {
  readonly #response: TransportResponse
  readonly #options: ReadOptions
  #made: { readonly assembly: MessageBuilder; readonly stream: StreamReader } | undefined
  readonly #decoder = new TextReader()
  readonly #edge = new JsonScanner()
  #text: string[] = []
  #kind: Kind = 'unknown'
  #bytes = 0
  /** Whether no more is read, because the body is longer than `maxBytes`. */
  #isFull = false
  /** Whether what came is what went wrong, and not the connection. */
  hasFailed = false

  constructor(response: TransportResponse, options: ReadOptions) {
    this.#response = response
    this.#options = options
    if (this.#isRefused) this.#kind = 'whole'
  }

  /** Whether nothing more is to be read: the server marked the end, or the body is too long. */
  get isDone(): boolean {
    return this.#isFull || this.#hasEndMark
  }

  get #hasEndMark(): boolean {
    return this.#made?.stream.isDone ?? false
  }

  /** Whether the rest, if there is one, would change nothing: an answer is whole, or an error has begun. */
  get isFinished(): boolean {
    if (this.#isRefused) return true
    return this.#kind === 'stream' ? this.#parts.assembly.isFinished : this.isWhole
  }

  /** Whether it is a JSON body that is closed. */
  get isWhole(): boolean {
    return this.#kind === 'whole' && this.#edge.isClosed
  }

  /** What puts an answer together that need be: most that are no streams are there at once. */
  get #parts() {
    if (this.#made) return this.#made
    const assembly = new MessageBuilder(this.#options.isTool, this.#options.sink)
    const stream = new StreamReader(assembly, (body) => this.#failure(body))
    this.#made = { assembly, stream }
    return this.#made
  }

  get #isRefused(): boolean {
    return this.#response.status < 200 || this.#response.status >= 300
  }

  write(bytes: Uint8Array): void {
    try {
      const { maxBytes } = this.#options
      const room = maxBytes - this.#bytes
      this.#bytes += bytes.byteLength
      this.#isFull = this.#bytes > maxBytes
      this.#read(this.#decoder.read(this.#isFull ? bytes.subarray(0, room) : bytes))
      if (this.#isFull && !this.isFinished && !this.#hasEndMark) throw tooLong(maxBytes)
    } catch (error) {
      this.hasFailed = true
      throw error
    }
  }

  finish(): ModelReply {
    this.#read(this.#decoder.end())
    if (this.#kind === 'stream') this.#parts.stream.end()
    else {
      const body = this.#text.join('')
      const completion = tryJson(body)
      const ordinary = this.#toOrdinary(completion)
      if (ordinary) return ordinary
      this.#addWhole(completion, body)
    }
    const reply = this.#parts.assembly.finish(this.#hasEndMark || this.#kind !== 'stream')
    if (this.#decoder.isGarbled && reply.message.tool_calls) throw garbled()
    return reply
  }

  /** The connection broke: what came so far is not the whole. */
  cutOff(error: unknown): CapstanError {
    const hasBegun = this.#made?.stream.hasBegun || this.#edge.isBegun
    const what = hasBegun ? 'The answer was cut off' : 'The connection broke before an answer came'
    const message = `${what} (${rootCause(error)}): nothing of it was run.`
    return new CapstanError(hasBegun ? 'truncated' : 'network', message, { retryable: true, cause: error })
  }

  #read(text: string): void {
    this.#text.push(text)
    let next = text
    if (this.#kind === 'unknown') {
      // White space in front says nothing, however much of it keeps a connection awake.
      next = this.#text.join('').trimStart()
      this.#text = [next]
      this.#kind = kindOf(next)
    }
    if (this.#kind === 'whole') this.#edge.add(next)
    if (this.#kind === 'stream') this.#parts.stream.write(this.#text.splice(0).join(''))
  }

  /** Most answers need not be put together; what they say is told as of the others. */
  #toOrdinary(completion: unknown): ModelReply | undefined {
    if (this.#isRefused || this.#decoder.isGarbled) return undefined
    const reply = isRecord(completion) ? readWhole(completion) : undefined
    const { sink } = this.#options
    if (reply && sink) tell(reply.message, sink)
    return reply
  }

  #addWhole(completion: unknown, body: string): void {
    // Gateways answer 200 and say in a form of their own what went wrong.
    if (this.#isRefused || isFailure(completion)) throw this.#failure(body)
    if (!isRecord(completion))
      throw malformed(body.trim() === '' ? 'the body, which was empty' : 'the body', body)
    if (!isFilled(completion.choices) || !toChoices(completion)) throw withoutChoices(completion, body)
    this.#parts.assembly.add(completion)
  }

  #failure(body: string): CapstanError {
    return toApiError({ status: this.#response.status, body, header: this.#response.header })
  }
}

function tell({ content, tool_calls: calls = [] }: AssistantMessage, sink: ModelSink): void {
  const text = textOf(content)
  if (text !== '') sink({ type: 'text', text })
  for (const [index, { function: called }] of calls.entries()) sink({ type: 'call', index, ...called })
}

type Kind = 'unknown' | 'stream' | 'whole'

/** What is no stream by then becomes none: each piece before that is looked at with all before it. */
const longestStart = 100

/** A stream begins with a field's name or a comment; too little text may still become either. */
function kindOf(start: string): Kind {
  if (start.startsWith('{')) return 'whole'
  if (/^(:|(data|event|id|retry)[ \t]*[:\r\n])/i.test(start)) return 'stream'
  if (start.length > longestStart) return 'whole'
  const word = start.trimEnd().toLowerCase()
  return ['data', 'event', 'id', 'retry'].some((field) => field.startsWith(word)) ? 'unknown' : 'whole'
}

/** Reads UTF-8 that is cut anywhere. Bytes that are none become U+FFFD, and are remembered. */
export class TextReader {
  /** The beginning of a character whose end has not come. */
  #half: Uint8Array = new Uint8Array()
  #hasBegun = false
  /** Whether some bytes were no UTF-8: a U+FFFD that a server wrote as such is none of them. */
  isGarbled = false

  read(bytes: Uint8Array): string {
    const all = this.#half.length === 0 ? bytes : joinBytes([this.#half, bytes])
    const end = all.length - lengthOfHalf(all)
    // Copied: a Buffer's own `slice` would share the sender's memory.
    this.#half = end === all.length ? this.#half.subarray(0, 0) : new Uint8Array(all.subarray(end))
    const text = this.#decode(all.subarray(0, end))
    if (this.#hasBegun || text === '') return text
    this.#hasBegun = true
    return text.startsWith('\ufeff') ? text.slice(1) : text
  }

  /** What is left at the end: half a character, if anything. */
  end(): string {
    return this.#decode(this.#half)
  }

  #decode(bytes: Uint8Array): string {
    if (this.isGarbled) return lenient.decode(bytes)
    try {
      return strict.decode(bytes)
    } catch {
      this.isGarbled = true
      return lenient.decode(bytes)
    }
  }
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

/** How many bytes at the end begin a character that is longer than they are. */
function lengthOfHalf(bytes: Uint8Array): number {
  for (let length = 1; length <= Math.min(3, bytes.length); length++) {
    const byte = bytes[bytes.length - length] ?? 0
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return lengthOf(byte) > length ? length : 0
  }
  return 0
}

/** Of the character that a byte begins. */
function lengthOf(first: number): number {
  return first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
}

/** What is known of an answer that is still being read. */
interface ReadProgress {
  /** Whether all that counts has come. */
  readonly isFinished: boolean
  /** Whether it is a JSON body that is closed. */
  readonly isWhole: boolean
}

/**
 * Leaves an answer that has said all that counts and whose server stays: two seconds after that, whatever keeps
 * the connection awake, and a quarter of one after a JSON body was closed, if nothing but white space follows.
 */
export class IdleCloser {
  readonly #leave: () => void
  #timer: ReturnType<typeof setTimeout> | undefined
  /** When it was first finished, and when it was last closed. */
  #finishedAt: number | undefined
  #closedAt: number | undefined
  #leavesAt = Number.NaN

  constructor(leave: () => void) {
    this.#leave = leave
  }

  /** To be called before the first piece, and after each: more of the answer may come after what seemed its end. */
  look({ isFinished, isWhole }: ReadProgress): void {
    if (!isFinished) {
      this.stop()
      return
    }
    const now = performance.now()
    this.#finishedAt ??= now
    this.#closedAt = isWhole ? (this.#closedAt ?? now) : undefined
    const closedAt = this.#closedAt ?? Number.POSITIVE_INFINITY
    const leavesAt = Math.min(this.#finishedAt + longestMs, closedAt + pauseMs)
    if (leavesAt === this.#leavesAt) return
    clearTimeout(this.#timer)
    this.#leavesAt = leavesAt
    this.#timer = setTimeout(this.#leave, leavesAt - now)
  }

  stop(): void {
    if (this.#finishedAt === undefined) return
    clearTimeout(this.#timer)
    this.#finishedAt = undefined
    this.#closedAt = undefined
    this.#leavesAt = Number.NaN
  }
}

const longestMs = 2000
const pauseMs = 250

/** Reads the text of a stream, event by event, into a reply in the making. */
export class StreamReader {
  readonly #assembly: MessageBuilder
  readonly #toFailure: (body: string) => CapstanError
  readonly #events = new EventDecoder((event) => this.#take(event))
  #isEnding = false
  /** Whether anything of the answer came, and not only signs of life. */
  hasBegun = false
  /** Whether the server marked the end: what comes after that is not read. */
  isDone = false

  /** `toFailure` makes an error of what a server says about one. */
  constructor(assembly: MessageBuilder, toFailure: (body: string) => CapstanError) {
    this.#assembly = assembly
    this.#toFailure = toFailure
  }

  /** @throws CapstanError for an event that is an error or cannot be read */
  write(text: string): void {
    this.#events.write(text)
  }

  /** Takes what is left at the end. @throws CapstanError `truncated` when that is half an event that counts */
  end(): void {
    this.#isEnding = true
    this.#events.end()
  }

  #take({ type, data: given }: ServerEvent): void {
    if (this.isDone) return
    const known = type === 'message' && given.startsWith('{') ? tryJson(given) : undefined
    if (isRecord(known)) {
      this.#takeRecord(known, given)
      return
    }
    const data = given.trim().replace(/^(data:\s*)+/i, '')
    if (isErrorName(type)) throw this.#namedError(type, data)
    this.isDone = isEndMark(data)
    if (this.isDone || isHeartbeat({ type, data })) return
    const chunk = tryJson(data)
    if (isRecord(chunk)) this.#takeRecord(chunk, data)
    else if (isIdle(chunk)) return
    else if (isFailure(chunk)) throw this.#toFailure(data)
    else this.#takeLines(type, data)
  }

  #takeRecord(chunk: RawJson, data: string): void {
    const piece = readChunk(chunk)
    const isTaken = piece !== undefined && this.#assembly.addPiece(piece)
    if (!isTaken && isIdle(chunk)) return
    if (!isTaken && isFailure(chunk)) throw this.#toFailure(data)
    this.hasBegun = true
    if (!isTaken) this.#assembly.add(chunk)
  }

  /** Events whose empty lines are missing are told apart where each line is one. */
  #takeLines(type: string, data: string): void {
    const lines = data.split('\n')
    if (lines.length > 1 && lines.every((line) => isEndMark(line.trim()) || isRecord(tryJson(line)))) {
      for (const line of lines) this.#take({ type, data: line })
    } else if (!this.#isEnding || !this.hasBegun) throw malformed('an event of the stream', data)
    // After the reason why it ended, only an end mark or a count of tokens may have been cut.
    else if (!this.#assembly.isFinished || /"(delta|message|error)"/.test(data)) throw cutInside(data)
  }

  #namedError(type: string, data: string): CapstanError {
    if (data === '' || isEndMark(data)) return failedSilently(`an event named "${type}"`)
    const said = tryJson(data)
    // Data that JSON.stringify cannot take are reported as they came.
    const isWritable = isRecord(said) && isShallow(said, 100)
    return this.#toFailure(isWritable ? JSON.stringify({ error: said, ...said }) : data)
  }
}
