import { toSnakeCase, toText } from './loose.js'

/**
 * Why a server says it ended, in one spelling. What means that the answer was cut is `length`, that it was filtered
 * `content_filter`, that it failed `error`; a word that says nothing is `''`. Others are as they came, in lower case.
 */
export function toFinishReason(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (plainest.includes(value as string)) return value as string
  const word = toSnakeCase(toText(value).trim().slice(0, longest)).replace(/^finish_?reason_/, '')
  return meanings.find(([, words]) => words.test(word))?.[0] ?? word
}

/** Of two reasons of one answer the one that counts: a later `stop` does not undo a cut. */
export function graverReason(before: string, now: string): string {
  return now === '' || gravity.indexOf(before) > gravity.indexOf(now) ? before : now
}

/** Whether a reason promises calls. */
export function promisesCalls(reason: string): boolean {
  return /^(tool|function)_?(calls?|use)$/.test(reason)
}

/** Words that are in that spelling already. */
const plainest = ['stop', 'tool_calls', 'length', 'content_filter']

/** Nobody has a longer word for it. */
const longest = 100

const gravity = ['length', 'content_filter', 'error']

const meanings: readonly (readonly [reason: string, words: RegExp])[] = [
  ['', /^(null|none|nil|undefined|unspecified|in_progress)?$/],
  ['error', /error|abort|cancel|fail|time_?d?_?out|insufficient|overload|malformed|interrupt|unavailable/],
  ['length', /length|max_(\w+_)?tokens?|token_limit|context_window|^(truncated|incomplete)$/],
  ['content_filter', /filter|safety|sensitive|moderat|blocklist|prohibited|recitation|^(refusal|spii)$/],
]
