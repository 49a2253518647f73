import { CapstanError, forModel } from './errors.js'
import { getOwn, isRecord } from './json.js'
import { checkOptionNames, isCount } from './option-names.js'
import type { LimitName, Limits, RunState } from './types/state.js'
import { addSpent, copyOfUsage, type PriceTable, type Spending, type Usage } from './usage.js'

/**
 * Merges limits. Later limits override earlier limits; `undefined` is ignored, and `Infinity` removes a limit.
 * @throws CapstanError `invalid_request` for an unknown name or an invalid value
 */
export function toLimits(...layers: readonly (Limits | undefined)[]): Limits {
  const merged: Record<string, unknown> = {}
  for (const given of layers) {
    const limits = given ?? {}
    checkOptionNames(limits, optionKinds, { of: 'limits', elsewhere: ['an agent', { limits }] })
    const { perTool = {} } = limits
    const kinds = Object.fromEntries(Object.keys(perTool).map((name) => [name, kindsOfLimits.whole]))
    checkOptionNames(perTool, kinds, { of: 'limits.perTool' })
    for (const [name, bound] of Object.entries(limits))
      if (bound !== undefined) merged[name] = name === 'perTool' ? withoutUnlimited(bound) : bound
  }
  return withoutUnlimited(merged)
}

/** Removes limits that are `undefined` or `Infinity`, which JSON cannot represent: an absent limit does not apply. */
function withoutUnlimited(limits: object): Limits {
  const entries = Object.entries(limits)
  return Object.fromEntries(entries.filter(([, bound]) => bound !== undefined && bound !== unlimited))
}

/** The kind of value that each limit accepts. `whole`: a whole number. */
export const limitKinds = {
  steps: 'whole',
  toolCalls: 'whole',
  perTool: 'perTool',
  tokens: 'whole',
  seconds: 'amount',
  images: 'whole',
  audioSeconds: 'amount',
  artifacts: 'whole',
  artifactBytes: 'whole',
  cost: 'amount',
} as const satisfies Readonly<Record<keyof Limits, 'whole' | 'amount' | 'perTool'>>

const kindsOfLimits = {
  whole: ['a whole number of at least 0', (value: unknown) => isCount(value, 0)],
  amount: ['a number of at least 0', (value: unknown) => typeof value === 'number' && value >= 0],
  perTool: ['an object: { search: 5 }', isRecord],
} as const

const optionKinds = Object.fromEntries(
  Object.entries(limitKinds).map(([name, kind]) => [name, kindsOfLimits[kind]] as const),
)

/**
 * Returns the limit that one more request would exceed, after setting aside a reserve for the final answer. Undefined
 * if no limit would be exceeded.
 */
export function limitBefore({ stepCount, usage, limits, flags }: RunState): LimitName | undefined {
  const { steps = unlimited, tokens = unlimited, seconds = unlimited, cost = unlimited } = limits
  if (stepCount - (flags.finalReplies ?? 0) >= steps) return 'steps'
  if (tokens === unlimited && seconds === unlimited && cost === unlimited) return undefined
  const last = flags.lastRequest ?? { tokens: 0, cost: 0 }
  const isUsedUp = (used: number, more: number, most: number) =>
    used >= most || used + reserveFactor * more > most
  if (isUsedUp(usage.totalTokens, last.tokens, tokens)) return 'tokens'
  const spent = usage.cost ?? 0
  if (cost !== unlimited && (spent === 'unknown' || isUsedUp(spent, last.cost, cost))) return 'cost'
  return (usage.seconds ?? 0) >= workSeconds(seconds) ? 'seconds' : undefined
}

/**
 * Returns the token and cost limits that the usage exceeds. Limits can be exceeded only because a reply's length cannot
 * be predicted.
 */
export function exceededLimits({ usage, limits }: RunState): readonly LimitName[] {
  const { tokens = unlimited, cost: bound } = limits
  const { totalTokens, cost = 0 } = usage
  const isOver = {
    tokens: totalTokens > tokens,
    // Sums of costs are not exact, so a small excess is tolerated. `unknown` becomes NaN here.
    cost: bound !== undefined && !(Number(cost) <= bound * (1 + 1e-12)),
  }
  return (['tokens', 'cost'] as const).filter((name) => isOver[name])
}

export const unlimited = Infinity

/**
 * The usage to reserve, as a multiple of the last request's usage: 1 for the next request, 1 for the final answer, 0.5
 * for growth.
 */
const reserveFactor = 2.5

/** Returns the limits in the second argument, each lowered to the same limit in the first argument if that is lower. */
export function tighter({ perTool: own = {}, ...bounds }: Limits, { perTool, ...left }: Limits): Limits {
  const smaller = (given: Bounds, most: Bounds) =>
    Object.fromEntries(
      Object.entries(given).map(([name, bound = unlimited]) => [
        name,
        Math.min(bound, getOwn(most, name) ?? bound),
      ]),
    )
  return { ...smaller(left, bounds), ...(perTool && { perTool: { ...own, ...smaller(perTool, own) } }) }
}

type Bounds = { readonly [name: string]: number | undefined }

/** Returns the seconds available for work. A fifth of the limit, at most 30 s, is reserved for the final answer. */
export function workSeconds(seconds: number): number {
  return seconds - Math.min(seconds / 5, 30)
}

/** Checks planned spending against a run's limits. Shared by the calls of one step. */
export class SpendLimiter {
  readonly #limits: Limits
  readonly #prices: PriceTable | undefined
  #usage: Usage

  constructor(state: Pick<RunState, 'usage' | 'results' | 'limits'>, prices: PriceTable | undefined) {
    // The open step's finished calls are not in the state's usage yet.
    const usage = copyOfUsage(state.usage)
    addSpent(usage, Object.values(state.results), prices)
    this.#usage = usage
    this.#limits = state.limits
    this.#prices = prices
  }

  /**
   * Records spending before it happens.
   * @throws CapstanError `stopped` if a limit would be exceeded, `invalid_arguments` for an invalid amount
   */
  spend(spending: Spending): void {
    for (const unit of units) {
      const { [unit]: amount = 0 } = spending
      if (Number.isFinite(amount) && amount >= 0) continue
      const message = `ctx.spend got ${String(amount)} ${unit}. Use a number of at least 0.`
      throw new CapstanError('invalid_arguments', message, { evidence: { unit } })
    }
    const after = copyOfUsage(this.#usage)
    addSpent(after, [{ spent: [spending] }], this.#prices)
    for (const limit of limitedUnits)
      if ((spending[limit] ?? 0) > 0 && (after[limit] ?? 0) > this.#bound(limit))
        throw limitExceeded(limit, this.#limits[limit])
    const { cost } = after
    const { cost: bound } = this.#limits
    // A cost that is unknown or not counted is NaN here.
    if (bound !== undefined && !(Number(cost) <= bound)) {
      const { model = 'no model' } = spending
      const why = cost === 'unknown' ? ` No price is known (${model}).` : ''
      throw limitExceeded('cost', bound, why)
    }
    this.#usage = after
  }

  /** The run's usage so far, including the open step's calls. */
  get usage(): Usage {
    return this.#usage
  }

  /** Whether artifacts are counted, which is the case only if the run limits them. */
  get countsArtifacts(): boolean {
    const { artifacts, artifactBytes } = this.#limits
    return artifacts !== undefined || artifactBytes !== undefined
  }

  /** The number of bytes that tools may still store. `Infinity` without a limit. */
  get bytesLeft(): number {
    return this.#bound('artifactBytes') - (this.#usage.artifactBytes ?? 0)
  }

  #bound(limit: (typeof limitedUnits)[number]): number {
    return this.#limits[limit] ?? unlimited
  }
}

const limitedUnits = ['images', 'audioSeconds', 'artifacts', 'artifactBytes'] as const
const units = [...limitedUnits, 'characters'] as const

/** Creates the error for spending that would exceed a limit. The model gets the error's message. */
export function limitExceeded(limit: LimitName, bound: unknown, why = ''): CapstanError {
  const message = `Limit reached (${limit}: ${String(bound)}). Nothing was done.${why}`
  return forModel(new CapstanError('stopped', message, { evidence: { limit } }))
}

/** Returns the limit that an error reports as reached, if any. */
export function limitOf(error: unknown): LimitName | undefined {
  return error instanceof CapstanError ? (error.evidence?.limit as LimitName | undefined) : undefined
}
