import type { CapstanError } from '../words/error.js'
import { isRecord } from '../words/record.js'
import type { Assembly } from './assemble.js'
import { isShallow, type Loose } from './loose.js'
import { cutInside, failedSilently, malformed } from './not-a-reply.js'
import { readPiece } from './read-piece.js'
import { isFailure, tryJson } from './server-words.js'
import { EventDecoder, type ServerEvent } from './sse.js'
import { isEndMark, isErrorName, isHeartbeat, isIdle } from './stream-marks.js'

/** Reads the text of a stream, event by event, into a reply in the making. */
export class StreamReader {
  readonly #assembly: Assembly
  readonly #toFailure: (body: string) => CapstanError
  readonly #events = new EventDecoder((event) => this.#take(event))
  #isEnding = false
  /** Whether anything of the answer came, and not only signs of life. */
  hasBegun = false
  /** Whether the server marked the end: what comes after that is not read. */
  isDone = false

  /** `toFailure` makes an error of what a server says about one. */
  constructor(assembly: Assembly, toFailure: (body: string) => CapstanError) {
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

  #takeRecord(chunk: Loose, data: string): void {
    const piece = readPiece(chunk)
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
