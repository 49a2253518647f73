/** Limits on one resource: for all users together and for each user. */
export interface QuotaLimits {
  readonly total: number
  readonly perUser: number
}

/** Counts how much of a limited resource each user is using, such as runs or bytes. */
export class Quota {
  readonly #limits: QuotaLimits
  readonly #held = new Map<string, number>()
  #total = 0

  constructor(limits: QuotaLimits) {
    this.#limits = limits
  }

  /** Returns the limit that using `amount` more would exceed. Undefined if it would exceed none. */
  exceededBy(user: string, amount = 1): keyof QuotaLimits | undefined {
    const { total, perUser } = this.#limits
    if (this.#total + amount > total) return 'total'
    return (this.#held.get(user) ?? 0) + amount > perUser ? 'perUser' : undefined
  }

  take(user: string, amount = 1): void {
    this.#total += amount
    this.#held.set(user, (this.#held.get(user) ?? 0) + amount)
  }

  release(user: string, amount = 1): void {
    this.#total -= amount
    const left = (this.#held.get(user) ?? 0) - amount
    if (left > 0) this.#held.set(user, left)
    else this.#held.delete(user)
  }
}
