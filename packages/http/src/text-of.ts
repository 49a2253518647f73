/** A text that a caller sent; `''` for what is none, whatever it says of itself. */
export function textOf(given: unknown): string {
  return typeof given === 'string' ? given : ''
}
