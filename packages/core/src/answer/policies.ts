import { allow, ask, deny, type Policy } from '../words/policy.js'
import type { Usage } from '../words/usage.js'

/** Only these tools may run; others are denied. */
export function allowOnly(names: readonly string[]): Policy {
  return ({ name }) =>
    names.includes(name) ? allow : deny(`only these tools may run: ${names.join(', ') || 'none'}.`)
}

/** Only tools whose `effects` are `'read'` may run; others are denied. */
export function readOnly(): Policy {
  return ({ name, readsOnly }) =>
    readsOnly ? allow : deny(`"${name}" may change things, and this run may only read.`)
}

/** What a run may have used before each further call is asked about. */
export type Budget = Partial<
  Record<'toolCalls' | 'totalTokens' | 'images' | 'audioSeconds' | 'characters' | 'cost', number>
>

/**
 * Asks about every call once the run has used as much as this; an unknown cost counts as used up. Other than a limit
 * it does not end the run: somebody may say yes.
 */
export function budget(bounds: Budget): Policy {
  return (_call, { usage }) => {
    const passed = (Object.keys(bounds) as (keyof Budget)[]).find((unit) =>
      isUsedUp(unit, bounds[unit], usage),
    )
    return passed === undefined ? allow : ask(`The run's budget (${passed}: ${bounds[passed]}) is used up.`)
  }
}

function isUsedUp(unit: keyof Budget, bound: number | undefined, usage: Usage): boolean {
  const used = usage[unit] ?? 0
  return bound !== undefined && (used === 'unknown' || used >= bound)
}

/** Asks about the first call of each tool that may change things; what was approved once in a run may run on. */
export function askOncePerTool(): Policy {
  return ({ name, readsOnly }, { approved }) =>
    readsOnly || approved.includes(name) ? allow : ask(`"${name}" is used for the first time in this run.`)
}
