import truncatedWidth from 'fast-string-truncated-width'
import { plainText } from './plain-text.js'
import { withoutBlobs } from './without-blobs.js'

/** A text on one line, in at most `columns` columns of a terminal. */
export function oneLine(text: string, columns = 100): string {
  const limit = Math.max(columns, 1)
  // What is far too long is cut before it is looked at.
  const line = withoutBlobs(
    plainText(text.slice(0, limit * 50))
      .trim()
      .replace(/\s+/g, ' '),
  )
  const { index, ellipsed } = truncatedWidth(line, { limit, ellipsis: '…' })
  return ellipsed ? `${line.slice(0, index).trimEnd()}…` : line.slice(0, index)
}
