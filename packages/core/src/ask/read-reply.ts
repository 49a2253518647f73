import { CapstanError, isCapstanError } from '../words/error.js'
import { Assembly } from './assemble.js'
import { isRecord, type Loose } from './loose.js'
import type { ModelReply, ModelSink } from './model.js'
import { malformed, withoutChoices } from './not-a-reply.js'
import { reasonOf } from './reason-of.js'
import { saysFailure, toApiError } from './response-error.js'
import { findError } from './server-words.js'
import { EventDecoder, type ServerEvent } from './sse.js'
import type { TransportResponse } from './transport.js'

export interface ReadOptions {
  readonly isTool: (name: string) => boolean
  readonly sink?: ModelSink | undefined
  readonly signal: AbortSignal
}

/**
 * Reads an answer to its end. Whether it is JSON or a stream its content decides: servers get the header, and
 * even the mode that was asked for, wrong. @throws CapstanError for everything that is no whole reply
 */
export async function readReply(response: TransportResponse, options: ReadOptions): Promise<ModelReply> {
  const decoder = new TextDecoder()
  const reader = new BodyReader(response, options)
  let patience: ReturnType<typeof setTimeout> | undefined
  try {
    await response.read((bytes) => {
      reader.write(decoder.decode(bytes, { stream: true }))
      clearTimeout(patience)
      if (reader.isFinished) patience = setTimeout(() => response.leave(), lingerMs)
      return !reader.isDone
    })
  } catch (error) {
    if (options.signal.aborted) throw options.signal.reason
    throw isCapstanError(error) ? error : reader.cutOff(error)
  } finally {
    clearTimeout(patience)
  }
  reader.write(decoder.decode())
  return reader.finish()
}

/** After a finish reason some servers say no more and stay: this long is waited for the count of tokens. */
const lingerMs = 2000

/** Takes the text of a body and tells, from its first character, a stream from anything else. */
class BodyReader {
  readonly #response: TransportResponse
  readonly #assembly: Assembly
  readonly #events = new EventDecoder((event) => this.#take(event))
  #text: string[] = []
  #kind: Kind = 'unknown'
  #started = false
  isDone = false

  constructor(response: TransportResponse, { isTool, sink }: ReadOptions) {
    this.#response = response
    this.#assembly = new Assembly(isTool, sink)
    if (this.#isFailure) this.#kind = 'whole'
  }

  get isFinished(): boolean {
    return this.#assembly.isFinished
  }

  get #isFailure(): boolean {
    return this.#response.status < 200 || this.#response.status >= 300
  }

  write(text: string): void {
    if (this.isDone) return
    this.#text.push(text)
    if (this.#kind === 'unknown') {
      // White space in front says nothing, however much of it keeps a connection awake.
      const start = this.#text.join('').trimStart()
      this.#text = [start]
      this.#kind = kindOf(start)
    }
    if (this.#kind === 'stream') this.#events.write(this.#text.splice(0).join(''))
  }

  finish(): ModelReply {
    if (this.#kind === 'stream') {
      this.#events.end()
      return this.#assembly.finish(this.isDone)
    }
    const body = this.#text.join('')
    if (this.#isFailure) throw this.#failure(body)
    const completion = parseBody(body)
    // Gateways answer 200 and say in a form of their own what went wrong.
    if (!Array.isArray(completion.choices)) {
      throw saysFailure(completion) ? this.#failure(body) : withoutChoices(completion, body)
    }
    this.#add(completion, body)
    return this.#assembly.finish(true)
  }

  /** The connection broke: what came so far is not the whole. */
  cutOff(error: unknown): CapstanError {
    if (this.#isFailure) return this.#failure(this.#text.join(''))
    const what = this.#started ? 'The answer was cut off' : 'The connection broke before an answer came'
    const message = `${what} (${reasonOf(error)}): nothing of it was run.`
    return new CapstanError(this.#started ? 'truncated' : 'network', message, {
      retryable: true,
      cause: error,
    })
  }

  #take({ type, data }: ServerEvent): void {
    if (this.isDone) return
    if (data.trim() === '[DONE]') {
      this.isDone = true
      return
    }
    if (isTimestamp(data)) return
    const chunk = tryRecord(data)
    if (type === 'error') throw this.#failure(chunk ? JSON.stringify({ error: chunk, ...chunk }) : data)
    if (!chunk) throw malformed('an event of the stream', data)
    this.#started = true
    this.#add(chunk, data)
  }

  #add(chunk: Loose, text: string): void {
    if (findError(chunk) !== undefined) throw this.#failure(text)
    this.#assembly.add(chunk)
  }

  #failure(body: string): CapstanError {
    return toApiError({ status: this.#response.status, body, header: this.#response.header })
  }
}

type Kind = 'unknown' | 'stream' | 'whole'

/** A stream begins with a field's name or a comment; too little text may still become either. */
function kindOf(start: string): Kind {
  if (fields.some((field) => start.startsWith(field))) return 'stream'
  return fields.some((field) => field.startsWith(start)) ? 'unknown' : 'whole'
}

const fields = ['data:', 'event:', 'id:', 'retry:', ':']

/** Some servers keep a stream awake with the time of day. */
function isTimestamp(data: string): boolean {
  return /^[\d\s.:TZ+-]+$/.test(data)
}

function parseBody(body: string): Loose {
  const parsed = tryRecord(body)
  if (parsed) return parsed
  throw malformed(body.trim() === '' ? 'the body, which was empty' : 'the body', body)
}

function tryRecord(text: string): Loose | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
