import { CapstanError } from '../words/error.js'
import type { LimitName, Limits } from '../words/state.js'
import { limitKinds } from './limit-kinds.js'

/**
 * Limits laid over each other, the later ones counting; what is undefined says nothing, and `Infinity` lifts a bound.
 * @throws CapstanError `invalid_request` for a name or a bound that is none
 */
export function toLimits(...given: readonly (Limits | undefined)[]): Limits {
  const bounds = new Map<string, unknown>()
  for (const limits of given) {
    for (const [name, bound] of Object.entries(limits ?? {})) {
      if (bound === undefined) continue
      checkLimit(name, bound)
      bounds.set(name, typeof bound === 'object' ? onlyBounds(bound) : bound)
    }
  }
  return onlyBounds(Object.fromEntries(bounds))
}

/** JSON knows neither: a bound that is not there does not bound. */
function onlyBounds(given: object): Limits {
  const entries = Object.entries(given)
  return Object.fromEntries(
    entries.filter(([, bound]) => bound !== undefined && bound !== Number.POSITIVE_INFINITY),
  )
}

function checkLimit(name: string, bound: unknown): void {
  const kind = Object.hasOwn(limitKinds, name) ? limitKinds[name as LimitName] : undefined
  if (!kind) throw invalidLimit(name, `is no limit. The limits are: ${Object.keys(limitKinds).join(', ')}.`)
  if (kind !== 'perTool') checkBound(name, bound, kind)
  else checkPerTool(bound)
}

function checkPerTool(bound: unknown): void {
  if (typeof bound !== 'object' || bound === null)
    throw invalidLimit('perTool', 'takes bounds by tool name, such as { search: 5 }.')
  for (const [tool, calls] of Object.entries(bound))
    if (calls !== undefined) checkBound(`perTool.${tool}`, calls, 'whole')
}

function checkBound(name: string, bound: unknown, kind: 'whole' | 'amount'): void {
  const isNumber = typeof bound === 'number' && bound >= 0
  if (isNumber && (kind === 'amount' || Number.isInteger(bound) || bound === Number.POSITIVE_INFINITY)) return
  const what = kind === 'whole' ? 'a whole number' : 'a number'
  throw invalidLimit(name, `is ${String(bound)}: use ${what} from 0 up, or leave it out.`)
}

function invalidLimit(name: string, why: string): CapstanError {
  return new CapstanError('invalid_request', `limits.${name} ${why}`, { evidence: { limit: name } })
}
