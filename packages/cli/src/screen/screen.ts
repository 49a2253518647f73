import type { Paint } from './colour.js'

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
export interface Stream {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
  write(text: string): unknown
}

export interface Streams {
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
