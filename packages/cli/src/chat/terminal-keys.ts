import { Transform, type TransformCallback } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** Functions that receive a terminal's input. */
interface KeySource {
  setRawMode?(mode: boolean): unknown
}

interface KeyListeners {
  /** Receives pasted text. Returns the keys to pass to the line editor. */
  paste(text: string): string
  /** Receives the terminal's reply to a query. */
  reply(text: string): void
}

/**
 * Separates pasted text and the terminal's replies from the keys that the user types. A line editor reads the keys, so
 * a pasted line end does not send the line, and a reply does not become text.
 */
export class TerminalKeys extends Transform {
  readonly isTTY = true
  readonly #source: KeySource
  readonly #listeners: KeyListeners
  readonly #decoder = new StringDecoder('utf8')
  /** The start of a sequence whose end has not arrived. */
  #rest = ''

  constructor(source: KeySource, listeners: KeyListeners) {
    super()
    this.#source = source
    this.#listeners = listeners
  }

  /** Called by the line editor. */
  setRawMode(mode: boolean): this {
    this.#source.setRawMode?.(mode)
    return this
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const keys = this.#take(this.#rest + this.#decoder.write(chunk))
    done(null, keys === '' ? undefined : keys)
  }

  /** Returns the keys in text, and keeps an unfinished sequence for the next text. */
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

/** The end of a sequence: its content, and the full sequence. */
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

/** Sequences that are not keys. */
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

/** Whether text may be the start of a sequence. A single escape is a key. */
function isBegin(text: string): boolean {
  return text.length > 1 && sequences.some(({ start }) => start.startsWith(text))
}

/** Removes control characters, which would move the cursor of the line editor. */
function withoutControls(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/(?![\n\t])\p{Cc}/gu, '')
}

/** Pasted texts and dropped files, each shown as a short mark in the line. */
export class PasteMarks {
  readonly #texts = new Map<string, string>()
  readonly #files = new Map<string, MarkedFile>()
  readonly #filesIn: (text: string) => readonly MarkedFile[]

  /** `filesIn` returns the files if text consists of their paths, otherwise an empty array. */
  constructor(filesIn: (text: string) => readonly MarkedFile[]) {
    this.#filesIn = filesIn
  }

  /** Returns the line's text for pasted text. Marks replace files and multiple lines. */
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

  /** Replaces the marks in a line with the pasted text and file names. */
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

/** A file whose path was dropped on the terminal or pasted. */
export interface MarkedFile {
  readonly path: string
  readonly name: string
}

interface MarkedLine {
  readonly text: string
  readonly files: readonly MarkedFile[]
}
