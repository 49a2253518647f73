import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { styleText } from 'node:util'
import truncatedWidth from 'fast-string-truncated-width'
import { sanitizeText } from './format.js'

/** A command's output: the model's text goes to stdout, everything else to stderr. */
export interface Terminal {
  readonly paint: Paint
  /** The terminal's size. Undefined if lines cannot be changed in place. */
  readonly size: { readonly columns: number; readonly rows: number } | undefined
  /** Writes text to stdout without adding a line break. */
  writeText(text: string): void
  /** Removes the live lines and moves to the start of a line, so that a prompt can be shown. */
  startLine(): void
  writeLine(text: string): void
  /** Replaces the live lines below the output. Does nothing if lines cannot be changed in place. */
  setLiveLines(lines: readonly string[]): void
}

/** The fields of an output stream that a terminal uses. */
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

/** The minimum width for live lines. On a narrower terminal, live lines would wrap and could not be removed. */
const minColumns = 40

export function createTerminal(
  { out, err }: Streams,
  paint: Paint,
  canChange = err.isTTY === true,
): Terminal {
  let atStart = true
  let shown = 0
  const clear = () => {
    // The terminal may have printed ^C at the start of the line.
    if (shown > 0) err.write(`\r\x1b[${shown}A\x1b[J`)
    shown = 0
  }
  const toStart = () => {
    if (!atStart) out.write('\n')
    atStart = true
  }
  return {
    paint,
    get size() {
      const { columns, rows } = terminalSize(err)
      return canChange && columns >= minColumns ? { columns, rows } : undefined
    },
    writeText(text) {
      if (text === '') return
      clear()
      out.write(text)
      atStart = text.endsWith('\n')
    },
    startLine() {
      clear()
      toStart()
    },
    writeLine(text) {
      clear()
      toStart()
      err.write(`${text}\n`)
    },
    setLiveLines(lines) {
      if (!canChange) return
      clear()
      if (lines.length === 0) return
      toStart()
      err.write(lines.map((line) => `${line}\n`).join(''))
      shown = lines.length
    },
  }
}

export function terminalSize({ columns, rows }: Stream): { readonly columns: number; readonly rows: number } {
  return { columns: columns || 80, rows: rows || 24 }
}

/** Opens this process's terminal. Output that the user's file writes with `console` is printed as separate lines. */
export function openTerminal(noColour = false): Terminal {
  // Disables colours in the prompt library too.
  if (noColour) process.env.NO_COLOR = '1'
  const { stdout: out, stderr: err } = process
  const canChange = err.isTTY === true && process.env.TERM !== 'dumb'
  const terminal = createTerminal({ out, err }, createPaint(err, noColour), canChange)
  redirectConsole(terminal.writeLine)
  return terminal
}

/** The meaning of a piece of text, to choose its style: success, failure, less important or emphasized. */
type Tone = 'good' | 'bad' | 'faint' | 'strong'

/** Returns text with the style for a tone. */
export type Paint = (tone: Tone, text: string) => string

/**
 * Returns the styling function. It is `noPaint` if `off` is set or the stream has no colours. Respects NO_COLOR and
 * FORCE_COLOR.
 */
function createPaint(stream: Partial<NodeJS.WriteStream>, off = false): Paint {
  if (off || !stream.isTTY || !stream.hasColors?.()) return noPaint
  return (tone, text) => (text === '' ? '' : styleText(codes[tone], text, { validateStream: false }))
}

/** Returns text unchanged. */
export const noPaint: Paint = (_tone, text) => text

const codes = { good: 'green', bad: 'red', faint: 'dim', strong: 'bold' } as const

/** Makes `console` print separate lines, so that output from the user's file does not break up the model's text. */
function redirectConsole(line: (text: string) => void): void {
  const stream = new Writable({
    decodeStrings: false,
    write(text: string | Buffer, _encoding, done) {
      line(sanitizeText(String(text).replace(/\n$/, '')))
      done()
    },
  })
  Object.assign(console, new Console(stream))
}

/** A part of a longer output that fits on the terminal at once. */
export interface Page {
  readonly text: string
  /** How much follows after this page, including the line that the page cuts off. */
  readonly left: { readonly lines: number; readonly characters: number }
}

/** Splits lines into pages of at least three rows, wrapped as a terminal wraps them. Keeps every character. */
export function paginate(
  lines: readonly string[],
  { columns, rows }: { readonly columns: number; readonly rows: number },
): readonly Page[] {
  const most = Math.max(rows, 3)
  const all = lines.flatMap((line) => wrapLine(line, Math.max(columns, 1)))
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
  /** Whether this is the line's last row. */
  readonly isEnd: boolean
}

/** Splits a line into rows where a terminal would wrap it. */
function wrapLine(line: string, columns: number): Row[] {
  const rows: Row[] = []
  let rest = line
  for (;;) {
    const { index, ellipsed } = truncatedWidth(rest, { limit: columns })
    // A character that is wider than the terminal still takes one row.
    const end = ellipsed ? Math.max(index, 1) : rest.length
    rows.push({ text: rest.slice(0, end), isEnd: end === rest.length })
    if (end === rest.length) return rows
    rest = rest.slice(end)
  }
}
