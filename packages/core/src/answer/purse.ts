import { CapstanError, forModel } from '../words/error.js'
import { addCost, costOf, type PriceTable } from '../words/price.js'
import type { LimitName, Limits } from '../words/state.js'
import { type Spending, type Usage, withSpending } from '../words/usage.js'

/** Keeps what calls spend within the limits, before they spend it. One for each turn: its calls share it. */
export class Purse {
  readonly #limits: Limits
  readonly #prices: PriceTable | undefined
  #usage: Usage

  constructor(usage: Usage, limits: Limits, prices: PriceTable | undefined) {
    this.#usage = usage
    this.#limits = limits
    this.#prices = prices
  }

  /** @throws CapstanError `stopped` when a limit would be passed, `invalid_arguments` for what is no amount */
  spend(spending: Spending): void {
    for (const unit of units) checkAmount(unit, spending[unit])
    const after = withSpending(this.#usage, spending)
    for (const limit of bounded)
      if ((spending[limit] ?? 0) > 0 && (after[limit] ?? 0) > this.#bound(limit))
        throw limitPassed(limit, this.#limits[limit])
    const cost = this.#prices && addCost(after.cost, costOf(spending, spending.model, this.#prices))
    const { cost: bound } = this.#limits
    if (bound !== undefined && (cost === undefined || cost === 'unknown' || cost > bound))
      throw limitPassed('cost', bound, cost === 'unknown' ? unpriced(spending) : '')
    this.#usage = cost === undefined ? after : { ...after, cost }
  }

  /** Whether artifacts are counted: where the run bounds them. */
  get countsArtifacts(): boolean {
    const { artifacts, artifactBytes } = this.#limits
    return artifacts !== undefined || artifactBytes !== undefined
  }

  /** How many bytes tools may still store; Infinity without a bound. */
  get bytesLeft(): number {
    return this.#bound('artifactBytes') - (this.#usage.artifactBytes ?? 0)
  }

  #bound(limit: (typeof bounded)[number]): number {
    return this.#limits[limit] ?? Number.POSITIVE_INFINITY
  }
}

const bounded = ['images', 'audioSeconds', 'artifacts', 'artifactBytes'] as const
const units = [...bounded, 'characters'] as const

function checkAmount(unit: string, amount: unknown = 0): void {
  if (typeof amount === 'number' && Number.isFinite(amount) && amount >= 0) return
  const message = `ctx.spend was given ${String(amount)} ${unit}. Give a number from 0 up.`
  throw new CapstanError('invalid_arguments', message, { evidence: { unit } })
}

function unpriced({ model }: Spending): string {
  return ` What this costs is not in the price table (${model ?? 'no model named'}).`
}

/** The error for an effect that a limit forbids. */
export function limitPassed(limit: LimitName, bound: unknown, why = ''): CapstanError {
  const message = `The run's limit of ${String(bound)} (limits.${limit}) would be passed: nothing was done.${why}`
  return forModel(new CapstanError('stopped', message, { evidence: { limit } }))
}

/** The limit that an error tells of, if it tells of one. */
export function limitOf(error: unknown): LimitName | undefined {
  return error instanceof CapstanError ? (error.evidence?.limit as LimitName | undefined) : undefined
}
