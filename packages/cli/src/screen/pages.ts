import truncatedWidth from 'fast-string-truncated-width'

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
