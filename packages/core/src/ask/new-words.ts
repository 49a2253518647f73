/**
 * What a message adds to the text so far: it may say all of it again, go on from it, or be its next piece.
 * Where the text `isPieced`, that is, came in deltas, a message that repeats the beginning or the end adds nothing.
 */
export function newWords(said: string, soFar: string, isPieced: boolean): string {
  if (said.length >= soFar.length && said.startsWith(soFar)) return said.slice(soFar.length)
  if (!isPieced) return said
  const isRepeated = soFar.startsWith(said) || soFar.endsWith(said) || soFar.trim() === said.trim()
  return isRepeated ? '' : said
}
