import { createInterface, type Interface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { droppedFiles } from './file-paths.js'
import { type MarkedFile, PasteMarks, TerminalKeys } from './terminal-keys.js'

/** A line that the user has entered, with any pasted text in full. */
export interface EnteredLine {
  readonly text: string
  /** Files that the user dropped onto the terminal while typing the line. */
  readonly files: readonly MarkedFile[]
}

/** How a prompt ended: with a line, Ctrl-C, or `closed` at the end of the input (Ctrl-D). */
type Entered = EnteredLine | Interrupt | 'closed'

/** Ctrl-C at a prompt. `discarded` is true if the line contained text. */
interface Interrupt {
  readonly discarded: boolean
}

interface AskOptions {
  /** The initial text of the line. Default: what the user typed before the prompt. */
  readonly initial?: string
  /**
   * Whether to ignore lines that were entered before the prompt, and to leave the new line out of the history. Default
   * false.
   */
  readonly fresh?: boolean
}

/** Receives lines and Ctrl-C that the user enters while there is no prompt. */
interface WorkListener {
  line(line: EnteredLine): void
  /** Called for the first Ctrl-C. A second Ctrl-C ends the process. */
  interrupt(): void
}

/** Reads lines from a terminal. Text typed while there is no prompt appears at the next prompt. */
export interface LineEditor {
  ask(prompt: string, options?: AskOptions): Promise<Entered>
  /** Stores a line to use as the answer to the next prompt that is not `fresh`. */
  keep(line: EnteredLine): void
  /** Passes lines and Ctrl-C to the listener until the returned function is called. */
  listen(listener: WorkListener): () => void
  /** Sends a query to the terminal. `onReply` gets the reply, but not all terminals send one. */
  query(text: string): void
  close(): void
}

interface Streams {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
}

interface EditorOptions {
  /** Earlier lines, newest first. */
  readonly history: readonly string[]
  onReply(text: string): void
}

/** Opens a line editor on a terminal: switches it to raw mode until `close`. */
export function openLineEditor(streams: Streams, { history, onReply }: EditorOptions): LineEditor {
  const marks = new PasteMarks(droppedFiles)
  const keys = new TerminalKeys(streams.input, { paste: (text) => marks.toKeys(text), reply: onReply })
  const screen = new EditorScreen(streams.output)
  streams.input.pipe(keys)
  const editor = createInterface({ input: keys, output: screen, terminal: true, history: [...history] })
  return new TerminalEditor({ ...streams, keys, screen, marks, editor })
}

/** The editor's output. Hides everything while there is no prompt. */
class EditorScreen extends Writable {
  isMuted = true
  readonly isTTY = true
  readonly #output: NodeJS.WriteStream

  constructor(output: NodeJS.WriteStream) {
    super({ decodeStrings: false })
    this.#output = output
    output.on('resize', () => this.emit('resize'))
  }

  /** Infinite while the output is hidden. If a hidden line wrapped, the next prompt would be drawn over other text. */
  get columns(): number {
    return this.isMuted ? Number.POSITIVE_INFINITY : this.#output.columns || 80
  }

  override _write(text: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (!this.isMuted) this.#output.write(text)
    done()
  }
}

interface EditorParts extends Streams {
  readonly keys: TerminalKeys
  readonly screen: EditorScreen
  readonly marks: PasteMarks
  readonly editor: Interface
}

class TerminalEditor implements LineEditor {
  readonly #parts: EditorParts
  readonly #waiting: EnteredLine[] = []
  #resolve: ((entered: Entered) => void) | undefined
  #isFresh = false
  #isRaw = false
  #isClosed = false
  #listener: WorkListener | undefined

  constructor(parts: EditorParts) {
    this.#parts = parts
    const { editor, marks } = parts
    editor.on('line', (line) => this.#takeLine(marks.read(line)))
    editor.on('SIGINT', this.#interrupt)
    editor.on('close', () => {
      this.#isClosed = true
      this.#settle('closed')
    })
    editor.on('history', (history: string[]) => {
      if (this.#isFresh) history.shift()
    })
    process.on('SIGINT', this.#interrupt).on('exit', this.#restore)
    this.#setModes(true)
  }

  async ask(prompt: string, { initial, fresh = false }: AskOptions = {}): Promise<Entered> {
    const { editor, screen } = this.#parts
    const kept = fresh ? undefined : this.#waiting.shift()
    if (kept) {
      this.#parts.output.write(`${prompt}${kept.text.replace(/\s+/g, ' ')}\n`)
      return kept
    }
    if (this.#isClosed) return 'closed'
    if (fresh || initial !== undefined) this.#clearLine()
    this.#isFresh = fresh
    const entered = new Promise<Entered>((resolve) => {
      this.#resolve = resolve
    })
    screen.isMuted = false
    editor.setPrompt(prompt)
    editor.prompt(true)
    if (initial !== undefined) editor.write(initial)
    return entered
  }

  keep(line: EnteredLine): void {
    this.#waiting.push(line)
  }

  listen(listener: WorkListener): () => void {
    this.#listener = listener
    return () => {
      this.#listener = undefined
      if (this.#isClosed) return
      process.off('SIGINT', this.#interrupt).on('SIGINT', this.#interrupt)
      this.#setModes(true)
    }
  }

  query(text: string): void {
    // Clears the line, in case the terminal prints the query as text.
    this.#parts.output.write(`${text}\r\x1b[K`)
  }

  close(): void {
    const { editor, input, keys } = this.#parts
    process.off('SIGINT', this.#interrupt).off('exit', this.#restore)
    editor.close()
    this.#restore()
    input.unpipe(keys).pause()
  }

  #takeLine(line: EnteredLine): void {
    if (this.#resolve) this.#settle(line)
    else if (this.#listener) this.#listener.line(line)
    else this.#waiting.push(line)
  }

  readonly #interrupt = (): void => {
    if (this.#resolve) {
      const { editor, output } = this.#parts
      const discarded = editor.line !== ''
      editor.write(null, { ctrl: true, name: 'e' })
      output.write('^C\n')
      this.#parts.screen.isMuted = true
      this.#clearLine()
      this.#settle({ discarded })
    } else if (this.#listener) {
      // Ctrl-C is a signal again from here on, so it ends the process even if the process is busy.
      process.off('SIGINT', this.#interrupt)
      this.#setModes(false)
      this.#listener.interrupt()
    }
  }

  #settle(entered: Entered): void {
    const resolve = this.#resolve
    this.#resolve = undefined
    this.#parts.screen.isMuted = true
    if (entered === 'closed' && resolve) this.#parts.output.write('\n')
    resolve?.(entered)
  }

  #clearLine(): void {
    const { editor } = this.#parts
    editor.write(null, { ctrl: true, name: 'e' })
    editor.write(null, { ctrl: true, name: 'u' })
    // A terminal with TERM=dumb does not support these keys.
    Object.assign(editor, { line: '', cursor: 0 })
  }

  readonly #restore = (): void => this.#setModes(false)

  /** Turns raw mode and bracketed paste on or off. */
  #setModes(on: boolean): void {
    if (this.#isRaw === on) return
    this.#isRaw = on
    const { keys, output } = this.#parts
    keys.setRawMode(on)
    if (process.env.TERM !== 'dumb') output.write(on ? '\x1b[?2004h' : '\x1b[?2004l')
  }
}
