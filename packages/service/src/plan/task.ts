import { isRecord } from '../json.js'
import type { Clause } from './clauses.js'
import type { AnsweredCall, Turn } from './conversation.js'
import type { FillContext } from './fill-context.js'
import { findNumbers } from './numbers.js'
import type { PlannerTool } from './planner-tool.js'
import type { Reading } from './read-clause.js'

/** A clause of the request with its tool. */
export interface Task {
  readonly clause: Clause
  readonly reading: Reading
  readonly tool: PlannerTool
  /** The arguments of a call that the user wrote out. */
  readonly exact?: Readonly<Record<string, unknown>>
  /** The arguments of an earlier call that this one changes: "and in Rome?" */
  readonly base?: Readonly<Record<string, unknown>>
  /** The index of the task whose arguments complete this one: "and the same for room 7". */
  readonly shares?: number
  /** The index of the task whose product this one uses. */
  readonly source: number | undefined
  /** The condition on the result of the task in `after`. */
  readonly condition?: Condition
  /** Words of the clause that belong to another task of the same clause. */
  readonly elsewhere?: FillContext['elsewhere']
  /** The index of the task that "then" puts before this one. */
  readonly after: number | undefined
}

/** A call that the planner requests. */
export interface PlannedCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** The progress of a task. */
export interface TaskState {
  /** Open: its calls are to be made. Waiting: for another task. Stuck: it cannot be done. */
  readonly status: 'done' | 'open' | 'waiting' | 'stuck'
  /** The calls made for it so far. */
  readonly calls: readonly AnsweredCall[]
  /** The calls to make now, when it is open. */
  readonly next?: readonly PlannedCall[]
  /** The message for the user, when it is stuck for another reason than a failed call. */
  readonly note?: string
}

/** The tasks of a request during their replay. `states` contains those before the current one. */
export interface Replay {
  readonly tasks: readonly Task[]
  readonly states: readonly TaskState[]
  readonly turn: Turn
}

/** Returns the artifacts that a task has made so far. Empty without a task. */
export function artifactsOf(index: number | undefined, { states }: Replay): string[] {
  const calls = index === undefined ? [] : (states[index]?.calls ?? [])
  return calls.flatMap(({ artifacts }) => artifacts)
}

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
