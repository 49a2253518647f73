/** All parts in one array of the given kind, in order. */
export function join<Part extends Float32Array | Int16Array | Uint8Array>(
  parts: readonly Part[],
  Whole: new (length: number) => Part,
): Part {
  const whole = new Whole(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
