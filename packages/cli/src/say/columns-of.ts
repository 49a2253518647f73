import truncatedWidth from 'fast-string-truncated-width'

/** How many columns of a terminal a text takes. */
export function columnsOf(text: string): number {
  return truncatedWidth(text).width
}
