import { hash } from '../json.js'
import type { CallRecord, StuckOptions } from '../run/run-context.js'
import type { Flags } from '../types/state.js'

/** The reaction to a run that repeats itself. */
export type Stage = 'tell' | 'withhold' | 'land'

export interface StuckReport {
  readonly flags: Pick<Flags, 'recent' | 'repeats' | 'withheld'>
  readonly stage?: Stage
  /** Text for the model, added to the results. */
  readonly note?: string
}

/**
 * Compares a step with those before it. A step repeats when all its calls and results equal those of the step before,
 * or when the last steps form a cycle of two or three. Failed calls are equal when their errors are, even with other
 * arguments.
 */
export function detectRepeats(
  before: Flags,
  turn: readonly CallRecord[],
  options: StuckOptions,
): StuckReport {
  const { tell = 1, withhold = 2, land = 3 } = options
  const recent = [...(before.recent ?? []), turn.map(fingerprintOf)].slice(-remembered)
  const names = [...new Set(turn.map(({ name }) => name))]
  const { withheld = [] } = before
  const isRepeat =
    goesRound(recent) || (withheld.length > 0 && names.every((name) => withheld.includes(name)))
  const repeats = isRepeat ? (before.repeats ?? 0) + 1 : 0
  const flags = { recent, repeats, withheld: [] as string[] }
  if (repeats >= land) return { flags, stage: 'land' }
  if (repeats >= withhold)
    return { flags: { ...flags, withheld: names }, stage: 'withhold', note: withheldNote }
  return repeats >= tell ? { flags, stage: 'tell', note: toldNote } : { flags }
}

const longestCircle = 3
const remembered = 2 * longestCircle

const toldNote =
  'Note: this repeats an earlier call with the same outcome. Do something else, or answer with what you have.'
const withheldNote =
  'Note: this has been repeated with the same outcome; the tool is not offered in the next step. Do something else, or answer with what you have.'

function goesRound(turns: readonly (readonly string[])[]): boolean {
  for (let length = 1; 2 * length <= Math.min(turns.length, remembered); length++)
    if (isCircle(turns, length)) return true
  return false
}

function isCircle(turns: readonly (readonly string[])[], length: number): boolean {
  for (let at = turns.length - length; at < turns.length; at++)
    if (!isWithin(turns[at] ?? [], turns[at - length] ?? [])) return false
  return true
}

function isWithin(calls: readonly string[], others: readonly string[]): boolean {
  return calls.every((call) => others.includes(call))
}

function fingerprintOf({ name, status, arguments: args, content }: CallRecord): string {
  return hash(`${name}\0${status === 'ok' ? JSON.stringify(args) : status}\0${content}`)
}
