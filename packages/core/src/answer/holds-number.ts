/** Whether a number keeps its value as it is read: integers beyond 2^53 may lose digits, and powers all they say. */
export function holdsNumber(text: string): boolean {
  const value = Number(text)
  if (!Number.isFinite(value)) return false
  if (/^-?\d+$/.test(text))
    return Number.isSafeInteger(value) || String(value) === text || BigInt(text) === BigInt(value)
  return value !== 0 || /^-?0*\.?0*(e.*)?$/i.test(text)
}
