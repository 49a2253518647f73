import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { styleText } from 'node:util'
import truncatedWidth from 'fast-string-truncated-width'
import { plainText } from './format.js'

/** Where a run is shown: words on one stream, all that is said about it on the other. */
export interface Screen {
  readonly paint: Paint
  /** Columns and rows of a terminal, if lines on it may change. */
  readonly terminal: { readonly columns: number; readonly rows: number } | undefined
  /** Words as they come. */
  words(text: string): void
  /** A line of its own, beside the words. */
  line(text: string): void
  /** What stands at the end until it is replaced; nothing where lines cannot change. */
  live(lines: readonly string[]): void
}

/** What of a stream is used. */
interface Stream {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
  write(text: string): unknown
}

interface Streams {
  readonly out: Stream
  readonly err: Stream
}

/** Below that lines would not fit into a row, and could not be taken away again. */
const narrowest = 40

export function toScreen({ out, err }: Streams, paint: Paint, canChange = err.isTTY === true): Screen {
  let atStart = true
  let shown = 0
  const clear = () => {
    // The terminal may have put a ^C at the start of the line.
    if (shown > 0) err.write(`\r\x1b[${shown}A\x1b[J`)
    shown = 0
  }
  const toStart = () => {
    if (!atStart) out.write('\n')
    atStart = true
  }
  return {
    paint,
    get terminal() {
      const { columns, rows } = sizeOf(err)
      return canChange && columns >= narrowest ? { columns, rows } : undefined
    },
    words(text) {
      if (text === '') return
      clear()
      out.write(text)
      atStart = text.endsWith('\n')
    },
    line(text) {
      clear()
      toStart()
      err.write(`${text}\n`)
    },
    live(lines) {
      if (!canChange) return
      clear()
      if (lines.length === 0) return
      toStart()
      err.write(lines.map((line) => `${line}\n`).join(''))
      shown = lines.length
    },
  }
}

export function sizeOf({ columns, rows }: Stream): { readonly columns: number; readonly rows: number } {
  return { columns: columns || 80, rows: rows || 24 }
}

/** The screen of this process; what the user's file says by `console` becomes lines of it. */
export function openScreen(noColour = false): Screen {
  // Prompts are painted by others, who look here.
  if (noColour) process.env.NO_COLOR = '1'
  const { stdout: out, stderr: err } = process
  const canChange = err.isTTY === true && process.env.TERM !== 'dumb'
  const screen = toScreen({ out, err }, toPaint(err, noColour), canChange)
  takeConsole(screen.line)
  return screen
}

/** How a part of a line is meant. */
type Tone = 'good' | 'bad' | 'faint' | 'strong'

/** Shows a text in a tone. */
export type Paint = (tone: Tone, text: string) => string

/** Colours for a terminal that has them and whose user wants them, as NO_COLOR and FORCE_COLOR say. */
function toPaint(stream: Partial<NodeJS.WriteStream>, off = false): Paint {
  if (off || !stream.isTTY || !stream.hasColors?.()) return plain
  return (tone, text) => (text === '' ? '' : styleText(codes[tone], text, { validateStream: false }))
}

/** No colours at all. */
export const plain: Paint = (_tone, text) => text

const codes = { good: 'green', bad: 'red', faint: 'dim', strong: 'bold' } as const

/** What a user's file says by `console` becomes lines beside the words, which stay as they are. */
function takeConsole(line: (text: string) => void): void {
  const stream = new Writable({
    decodeStrings: false,
    write(text: string | Buffer, _encoding, done) {
      line(plainText(String(text).replace(/\n$/, '')))
      done()
    },
  })
  Object.assign(console, new Console(stream))
}

/** As much of some lines as a terminal shows at one time. */
export interface Page {
  readonly text: string
  /** The rest, on later pages: its lines, including the rest of a cut one, and their characters. */
  readonly left: { readonly lines: number; readonly characters: number }
}

/** Lines in pages that fit a terminal, which wraps long lines itself: nothing is left out. A page has three rows or more. */
export function toPages(
  lines: readonly string[],
  { columns, rows }: { readonly columns: number; readonly rows: number },
): readonly Page[] {
  const most = Math.max(rows, 3)
  const all = lines.flatMap((line) => rowsOf(line, Math.max(columns, 1)))
  const pages: Page[] = []
  let left = { lines: lines.length, characters: lines.reduce((sum, line) => sum + line.length, 0) }
  for (let from = 0; from < all.length; from += most) {
    const page = all.slice(from, from + most)
    const ended = page.filter(({ isEnd }) => isEnd).length
    const shown = page.reduce((sum, { text }) => sum + text.length, 0)
    left = { lines: left.lines - ended, characters: left.characters - shown }
    const last = page.length - 1
    const text = page.map((row, at) => (row.isEnd && at < last ? `${row.text}\n` : row.text)).join('')
    pages.push({ text, left })
  }
  return pages
}

interface Row {
  readonly text: string
  /** True where it ends its line. */
  readonly isEnd: boolean
}

/** A line as the terminal wraps it. */
function rowsOf(line: string, columns: number): Row[] {
  const rows: Row[] = []
  let rest = line
  for (;;) {
    const { index, ellipsed } = truncatedWidth(rest, { limit: columns })
    // A sign that is wider than the terminal has a row all the same.
    const end = ellipsed ? Math.max(index, 1) : rest.length
    rows.push({ text: rest.slice(0, end), isEnd: end === rest.length })
    if (end === rest.length) return rows
    rest = rest.slice(end)
  }
}
