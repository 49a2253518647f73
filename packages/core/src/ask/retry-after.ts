/**
 * How long a server asks to wait, in milliseconds: `retry-after-ms`, else `retry-after` in seconds or as a date.
 * Undefined for what is negative, past or cannot be read: it asks for nothing.
 */
export function toRetryAfter(header: (name: string) => string | null): number | undefined {
  const after = header('retry-after') ?? ''
  return toNumber(header('retry-after-ms') ?? '') ?? toMs(toNumber(after)) ?? untilDate(after)
}

/** No sign, and no form but the plain one: "1,5" and "0x10" are not what they seem. */
function toNumber(text: string): number | undefined {
  return /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined
}

function toMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000
}

/** A date as HTTP writes it, or as ISO 8601 does. */
function untilDate(text: string): number | undefined {
  if (!/^\s*([A-Za-z]{3,9}, \d|\d{4}-\d\d-\d\d)/.test(text)) return undefined
  const wait = Date.parse(text) - Date.now()
  return wait > 0 ? wait : undefined
}
