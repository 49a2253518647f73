import { isRecord } from '../json.js'
import { findNumbers } from './numbers.js'

/** A comparison that a result must pass: "if fewer than 50 are left". */
export interface Condition {
  readonly isBelow: boolean
  /** Whether the limit itself passes. */
  readonly isClosed: boolean
  readonly limit: number
}

/** Returns the condition in a clause, and the words that say what to read for it. */
export function toCondition(
  text: string,
): { readonly condition: Condition; readonly read: string } | undefined {
  const match = comparison.exec(text)
  const [, before = '', between = '', word = ''] = match ?? []
  const rest = text.slice(match?.[0].length ?? 0)
  const [limit] = findNumbers(rest)
  if (!match || !limit || !/^[$€£\s]*$/.test(rest.slice(0, limit.start))) return undefined
  const subject = `${between} ${rest.slice(limit.end)}`.replace(empty, ' ').replace(/\s+/g, ' ').trim()
  const isBelow = /^(?:fewer|less|under|below|at most|no more)/i.test(word)
  const condition = { isBelow, isClosed: /^(?:at|no)\b/i.test(word), limit: limit.value }
  const lead = before.replace(/[\s,]+(?:and|but)?[\s,]*$/i, '')
  return { condition, read: lead === '' ? `check ${subject}` : `${lead} ${subject}`.trim() }
}

const comparison =
  /^(.*?)\b(?:if|in case|should)\b(.*?)\b((?:fewer|less|more) than|under|over|below|above|at least|at most|no more than)\s+/i
// The words that carry a comparison and name nothing.
const empty =
  /\b(?:there|we|they|it|i|only|are|is|have|has|got|drops?|falls?|goes|of|the|then)\b|['’](?:s|re|ve)\b/gi

/** Whether a clause makes those after it depend on something that the planner cannot decide. */
export function isUndecided(text: string): boolean {
  return /^(?:(?:and|but|only)\s+)?(?:if|unless|when|once|in case|provided|as soon as)\b(?! possible| needed| you can)/i.test(
    text,
  )
}

/** Whether a result passes a condition. Undefined when it has not exactly one number. */
export function passes(result: unknown, { isBelow, isClosed, limit }: Condition): boolean | undefined {
  const numbers = typeof result === 'number' ? [result] : isRecord(result) ? Object.values(result) : []
  const [value, ...others] = numbers.filter((one) => typeof one === 'number')
  if (typeof value !== 'number' || others.length > 0) return undefined
  if (value === limit) return isClosed
  return isBelow ? value < limit : value > limit
}
