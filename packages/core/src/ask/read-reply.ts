import { CapstanError, isCapstanError } from '../words/error.js'
import { type AssistantMessage, textOf } from '../words/message.js'
import type { ModelReply, ModelSink } from '../words/model.js'
import { isRecord } from '../words/record.js'
import { Assembly } from './assemble.js'
import { JsonEdge } from './json-edge.js'
import { Linger } from './linger.js'
import { isFilled } from './loose.js'
import { garbled, malformed, tooLong, withoutChoices } from './not-a-reply.js'
import { toChoices } from './pick-choice.js'
import { readWhole } from './read-whole.js'
import { reasonOf } from './reason-of.js'
import { toApiError } from './response-error.js'
import { isFailure, tryJson } from './server-words.js'
import { StreamReader } from './stream-reader.js'
import { TextReader } from './text-reader.js'
import type { TransportResponse } from './transport.js'

export interface ReadOptions {
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
  const linger = new Linger(() => response.leave())
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
  #made: { readonly assembly: Assembly; readonly stream: StreamReader } | undefined
  readonly #decoder = new TextReader()
  readonly #edge = new JsonEdge()
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
    const assembly = new Assembly(this.#options.isTool, this.#options.sink)
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
    const message = `${what} (${reasonOf(error)}): nothing of it was run.`
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
