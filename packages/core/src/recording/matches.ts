import { isRecord } from '../words/record.js'
import { redacted } from './named-secrets.js'

/** Whether a value is the one that was recorded; what was taken out of its texts may be anything. The order of keys does not count. */
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

function isText(recorded: string, live: string): boolean {
  if (recorded === live) return true
  const parts = recorded.split(redacted)
  const [first = ''] = parts
  const last = parts.at(-1) ?? ''
  if (parts.length === 1 || live.length < first.length + last.length) return false
  if (!live.startsWith(first) || !live.endsWith(last)) return false
  let at = first.length
  for (const part of parts.slice(1, -1)) {
    const found = live.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return at <= live.length - last.length
}
