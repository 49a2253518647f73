import { isRecord, redacted } from '@capstan/core/internal'

/** Whether a value is the one that was recorded; one word may be anything where something was taken out. The order of keys does not count. */
export function matches(recorded: unknown, live: unknown): boolean {
  if (typeof recorded === 'string') return typeof live === 'string' && isText(recorded, live)
  if (Array.isArray(recorded))
    return (
      Array.isArray(live) &&
      live.length === recorded.length &&
      recorded.every((one, at) => matches(one, live[at]))
    )
  if (!isRecord(recorded)) return recorded === live
  if (!isRecord(live)) return false
  const names = Object.keys(recorded)
  return (
    names.length === Object.keys(live).length &&
    names.every((name) => Object.hasOwn(live, name) && matches(recorded[name], live[name]))
  )
}

/** What may stand where a secret was. More would hide what has changed around it. */
const gap = /^[^\s"]{0,4000}$/

function isText(recorded: string, live: string): boolean {
  if (recorded === live) return true
  const parts = recorded.split(redacted)
  const last = parts.length - 1
  if (last === 0) return false
  let at = 0
  for (const [index, part] of parts.entries()) {
    const found = index === 0 || index === last ? edge(live, part, index === 0) : live.indexOf(part, at)
    if (found < at || !gap.test(live.slice(at, found))) return false
    at = found + part.length
  }
  return true
}

/** Where a text begins, or ends, with a part of it; -1 where it does not. */
function edge(text: string, part: string, isStart: boolean): number {
  if (isStart) return text.startsWith(part) ? 0 : -1
  return text.endsWith(part) ? text.length - part.length : -1
}
