import { chain } from '../async.js'
import { areFunctions } from '../option-names.js'
import type { Feature } from '../run/feature.js'
import type { Middleware } from '../run/middleware.js'
import { allow, ask, checkVerdict, deny, type Policy, strictest, viewOf } from '../tools/policies.js'
import type { Usage } from '../usage.js'

/** Adds the `policy` option to agents and runs: each policy judges every call. */
export function policies(): Feature {
  return {
    name,
    agentOptions: kinds,
    runOptions: kinds,
    forAgent: toMiddleware,
    forRun: toMiddleware,
  }
}

const name = 'policy'
const kinds = { policy: ['a function, or an array of them', areFunctions] } as const

function toMiddleware({
  policy = [],
}: {
  readonly policy?: Policy | readonly Policy[]
}): Middleware | undefined {
  const list = [policy].flat()
  if (list.length === 0) return undefined
  return {
    name,
    beforeTool(call, run) {
      const view = viewOf(run)
      return strictest(list, (one) => chain(one(call, view), checkVerdict))
    },
  }
}

/** Allows calls to the named tools and denies all others. */
export function allowOnly(names: readonly string[]): Policy {
  return ({ name }) =>
    names.includes(name) ? allow : deny(`only these tools can run: ${names.join(', ') || 'none'}.`)
}

/** Allows calls to tools whose `effects` are `'read'` and denies all others. */
export function readOnly(): Policy {
  return ({ name, readsOnly }) =>
    readsOnly ? allow : deny(`"${name}" can change data, and this run is read-only.`)
}

/** The usage at which every later call in the run needs approval. */
export type Budget = Partial<
  Record<'toolCalls' | 'totalTokens' | 'images' | 'audioSeconds' | 'characters' | 'cost', number>
>

/**
 * Requires approval for every call once the run has used up the budget. If the cost is unknown, a `cost` budget counts
 * as used up. Unlike a limit, a budget does not end the run.
 */
export function budget(limits: Budget): Policy {
  return (_call, { usage }) => {
    const usedUp = (Object.keys(limits) as (keyof Budget)[]).find((unit) =>
      isUsedUp(unit, limits[unit], usage),
    )
    return usedUp === undefined ? allow : ask(`The run's budget (${usedUp}: ${limits[usedUp]}) is used up.`)
  }
}

function isUsedUp(unit: keyof Budget, limit: number | undefined, usage: Usage): boolean {
  const used = usage[unit] ?? 0
  return limit !== undefined && (used === 'unknown' || used >= limit)
}

/**
 * Requires approval for the first call to each tool that can change data. Later calls to the same tool run without
 * approval.
 */
export function askOncePerTool(): Policy {
  return ({ name, readsOnly }, { approved }) =>
    readsOnly || approved.includes(name) ? allow : ask(`"${name}" is used for the first time in this run.`)
}
