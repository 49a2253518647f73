import { Transform, type TransformCallback } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** The members of a terminal's input stream that are used here. A pipe has no raw mode. */
interface KeySource {
  setRawMode?(mode: boolean): unknown
}

interface KeyListeners {
  /** Called with pasted text. Returns the keys to pass to the line editor. */
  paste(text: string): string
  /** Called with the terminal's reply to a query. */
  reply(text: string): void
}

/**
 * Separates the keys that the user types from pasted text and from the terminal's replies. The line editor only gets
 * the keys, so that a pasted line break does not send the line, and a reply never becomes part of it.
 */
export class TerminalKeys extends Transform {
  readonly isTTY = true
  readonly #source: KeySource
  readonly #listeners: KeyListeners
  readonly #decoder = new StringDecoder('utf8')
  /** The start of an escape sequence whose end has not arrived yet. */
  #rest = ''

  constructor(source: KeySource, listeners: KeyListeners) {
    super()
    this.#source = source
    this.#listeners = listeners
  }

  /** Sets the terminal's raw mode. The line editor calls it. */
  setRawMode(mode: boolean): this {
    this.#source.setRawMode?.(mode)
    return this
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const keys = this.#take(this.#rest + this.#decoder.write(chunk))
    done(null, keys === '' ? undefined : keys)
  }

  /** Returns the keys in the text, and keeps an unfinished sequence for the next chunk. */
  #take(text: string): string {
    let keys = ''
    let at = 0
    this.#rest = ''
    for (;;) {
      const from = text.indexOf(escapeKey, at)
      if (from === -1) return keys + text.slice(at)
      keys += text.slice(at, from)
      const sequence = sequences.find(({ start }) => text.startsWith(start, from))
      if (!sequence) {
        if (isBegin(text.slice(from))) {
          this.#rest = text.slice(from)
          return keys
        }
        keys += escapeKey
        at = from + 1
        continue
      }
      const { start, kind } = sequence
      const end = sequence.find(text, from + start.length)
      if (!end) {
        this.#rest = text.slice(from)
        return keys
      }
      const content = text.slice(from + start.length, end.at)
      if (kind === 'paste') keys += this.#listeners.paste(withoutControls(content))
      else this.#listeners.reply(text.slice(from, end.next))
      at = end.next
    }
  }
}

const escapeKey = '\x1b'

/** Where a sequence ends: `at` is the end of its content, and `next` is the end of the entire sequence. */
interface End {
  readonly at: number
  readonly next: number
}

interface Sequence {
  readonly start: string
  readonly kind: 'paste' | 'reply'
  find(text: string, from: number): End | undefined
}

const endsWith =
  (mark: string) =>
  (text: string, from: number): End | undefined => {
    const at = text.indexOf(mark, from)
    return at === -1 ? undefined : { at, next: at + mark.length }
  }

/** The escape sequences that are not keys: bracketed paste, and the terminal's replies. */
const sequences: readonly Sequence[] = [
  { start: `${escapeKey}[200~`, kind: 'paste', find: endsWith(`${escapeKey}[201~`) },
  { start: `${escapeKey}_`, kind: 'reply', find: endsWith(`${escapeKey}\\`) },
  {
    start: `${escapeKey}[?`,
    kind: 'reply',
    find(text, from) {
      const length = text.slice(from).search(/[@-~]/)
      return length === -1 ? undefined : { at: from + length, next: from + length + 1 }
    },
  },
]

/** Whether text could be the start of an escape sequence. A lone escape character is the Esc key. */
function isBegin(text: string): boolean {
  return text.length > 1 && sequences.some(({ start }) => start.startsWith(text))
}

/** Removes control characters, which would move the editor's cursor. Keeps line breaks and tabs. */
function withoutControls(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/(?![\n\t])\p{Cc}/gu, '')
}

/**
 * Represents pasted text of several lines, and dropped files, by short marks in the line, such as `[paste 1: 3 lines]`.
 */
export class PasteMarks {
  readonly #texts = new Map<string, string>()
  readonly #files = new Map<string, MarkedFile>()
  readonly #filesIn: (text: string) => readonly MarkedFile[]

  /** `filesIn` returns the files if the text consists only of their paths, otherwise an empty array. */
  constructor(filesIn: (text: string) => readonly MarkedFile[]) {
    this.#filesIn = filesIn
  }

  /**
   * Returns what to insert into the line for pasted text: marks for files or for several lines, otherwise the text
   * itself.
   */
  toKeys(pasted: string): string {
    const text = pasted.trimEnd()
    const files = this.#filesIn(text)
    if (files.length > 0) return files.map((file) => this.#mark(file)).join(' ')
    if (!/[\n\t]/.test(text)) return text
    const lines = text.split('\n').length
    const mark = `[paste ${this.#texts.size + 1}: ${lines} ${lines === 1 ? 'line' : 'lines'}]`
    this.#texts.set(mark, text)
    return mark
  }

  /** Returns the line and its files. The marks are replaced by the pasted text or the file names. */
  read(line: string): MarkedLine {
    const marks = [...this.#texts.keys(), ...this.#files.keys()].filter((mark) => line.includes(mark))
    const files = marks.map((mark) => this.#files.get(mark)).filter((file) => file !== undefined)
    const text = marks.reduce(
      (read, mark) => read.replaceAll(mark, () => this.#texts.get(mark) ?? this.#files.get(mark)?.name ?? ''),
      line,
    )
    return { text, files }
  }

  #mark(file: MarkedFile): string {
    const mark = `[file ${this.#files.size + 1}: ${file.name}]`
    this.#files.set(mark, file)
    return mark
  }
}

/** A file that the user named, pasted or dropped onto the terminal. `name` is safe to print. */
export interface MarkedFile {
  readonly path: string
  readonly name: string
}

interface MarkedLine {
  readonly text: string
  readonly files: readonly MarkedFile[]
}
