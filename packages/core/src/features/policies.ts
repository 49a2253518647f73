import { chain } from '../async.js'
import { areFunctions } from '../option-names.js'
import type { Feature } from '../run/feature.js'
import type { Middleware } from '../run/middleware.js'
import { allow, ask, checkVerdict, deny, type Policy, strictest, viewOf } from '../tools/policies.js'
import type { Usage } from '../usage.js'

/** The option `policy` of an agent and of a run: each policy judges every call. */
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
const kinds = { policy: ['a function, or a list of functions', areFunctions] } as const

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

/** Allows only the named tools and denies others. */
export function allowOnly(names: readonly string[]): Policy {
  return ({ name }) =>
    names.includes(name) ? allow : deny(`only these tools can run: ${names.join(', ') || 'none'}.`)
}

/** Allows only tools whose `effects` are `'read'` and denies others. */
export function readOnly(): Policy {
  return ({ name, readsOnly }) =>
    readsOnly ? allow : deny(`"${name}" can change data, and this run is read-only.`)
}

/** The usage after which every call of the run needs an approval. */
export type Budget = Partial<
  Record<'toolCalls' | 'totalTokens' | 'images' | 'audioSeconds' | 'characters' | 'cost', number>
>

/**
 * Requests an approval for every call once the run has used up the budget. An unknown cost counts as used up.
 * Unlike a limit it does not end the run.
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

/** Requests an approval for the first call of each tool that may change things. Later calls of the tool run. */
export function askOncePerTool(): Policy {
  return ({ name, readsOnly }, { approved }) =>
    readsOnly || approved.includes(name) ? allow : ask(`"${name}" is used for the first time in this run.`)
}
