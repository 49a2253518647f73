import { answerQuirks } from './answer-quirks.js'
import { callQuirks } from './call-quirks.js'
import type { Quirk } from './quirk.js'
import { streamQuirks } from './stream-quirks.js'

/** All trouble that can be asked for, by name. */
export const quirks = { ...answerQuirks, ...streamQuirks, ...callQuirks } as const satisfies Record<
  string,
  Quirk
>

export type QuirkName = keyof typeof quirks

/** Whether there is such trouble. */
export function isQuirk(name: unknown): name is QuirkName {
  return typeof name === 'string' && Object.hasOwn(quirks, name)
}

/** The names, for those who asked for another. */
export const quirkNames = Object.keys(quirks).join(', ')
