/** How long a server asks to wait, in milliseconds: `retry-after-ms`, else `retry-after` in seconds or as a date. */
export function toRetryAfter(header: (name: string) => string | null): number | undefined {
  const ms = Number(header('retry-after-ms') ?? Number.NaN)
  if (Number.isFinite(ms) && ms >= 0) return ms
  const after = header('retry-after')
  if (after === null) return undefined
  const seconds = Number(after)
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(after) - Date.now()
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined
}
