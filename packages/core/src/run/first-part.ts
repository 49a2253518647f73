/** Whether a text has room. */
export type Fits = (text: string) => boolean

/** The lines that fit one request, and those that are left. A line that alone does not fit is cut. */
export function firstPart(
  lines: readonly string[],
  room: number,
  tokensOf: (text: string) => number,
): { readonly part: readonly string[]; readonly rest: readonly string[] } {
  let left = room
  const past = lines.findIndex((line) => {
    left -= tokensOf(line)
    return left < 0
  })
  if (past < 0) return { part: lines, rest: [] }
  if (past > 0) return { part: lines.slice(0, past), rest: lines.slice(past) }
  const [line = '', ...others] = lines
  const head = headOf(line, (text) => tokensOf(text) <= room)
  return { part: [head], rest: [line.slice(head.length), ...others].filter((one) => one !== '') }
}

/** The longest beginning of a text that fits, found by halves: one character at least, and never half of one. */
export function headOf(text: string, fits: Fits): string {
  if (fits(text)) return text
  let [low, high] = [1, text.length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (fits(text.slice(0, middle))) low = middle
    else high = middle
  }
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(low - 1))
  return text.slice(0, isHalf ? (low > 1 ? low - 1 : 2) : low)
}
