import { type CapstanError, invalidRequest } from '../../errors.js'
import { kindOf } from '../../option-names.js'

/** A unit that a ledger counts. `tokens` are input and output tokens together, `requests` are model requests. */
export type LedgerUnit = (typeof ledgerUnits)[number]

/** Amounts by unit, 0 or more. A missing amount is 0; a missing limit does not apply. */
export type LedgerAmounts = { readonly [Unit in LedgerUnit]?: number }

/**
 * The period that limits apply to. `week` starts on Monday. A number is a length in milliseconds; such windows are
 * counted from the start of 1970. All times are UTC.
 */
export type LedgerPeriod = 'hour' | 'day' | 'week' | 'month' | number

/**
 * Stores accounts' usage, for all processes that share the store. An account has one budget per period: the same name
 * with a different `per` is a different account.
 *
 * A reservation counts immediately. Once it is settled, the spent amounts count instead. A reservation that is never
 * settled counts in full until its window ends, because its process may have died after sending the request. This way,
 * an account never exceeds its limits because of a failure.
 */
export interface LedgerStore {
  /**
   * Reserves all amounts if they fit within the limits, otherwise none. Atomic: concurrent reservations from all
   * processes together never exceed a limit. If the store has a clock, that clock determines the window. If the store
   * still has the id, nothing changes and the earlier result is returned. The ids of rejected reservations are not
   * kept.
   * @throws CapstanError `invalid_request` for a reservation that `checkReservation` rejects
   */
  reserve(reservation: LedgerReservation): Promise<LedgerAnswer>
  /**
   * Replaces a reservation with the spent amounts, in the reservation's window, even after `reserveMs`. The spent
   * amounts may exceed the reservation. Only the first call with an id counts; an unknown id changes nothing.
   * @throws CapstanError `invalid_request` for invalid amounts
   */
  settle(id: string, spent: LedgerAmounts): Promise<void>
}

/** A request to reserve amounts for an account before they are spent. */
export interface LedgerReservation {
  /** The id of one request or call, unique across accounts. A request that is sent again has a new id. */
  readonly id: string
  readonly account: string
  readonly per: LedgerPeriod
  /** The account's limits. The limits are not stored: the next reservation may have different ones. */
  readonly limits: LedgerAmounts
  /** The amounts that are reserved in full or not at all. */
  readonly amounts: LedgerAmounts
  /** Additional amounts to reserve as far as the limits allow, such as a request's output tokens. Default: none. */
  readonly further?: LedgerFurther
  /**
   * How long the reservation is expected to stay open, in milliseconds. The reservation's id is kept this long, and a
   * later rejection may return the end of this time as `retryAt`.
   */
  readonly reserveMs: number
}

/** Additional amounts, in equal units such as one output token. As many units are reserved as fit. */
export interface LedgerFurther {
  /** The amounts that each unit adds. */
  readonly each: LedgerAmounts
  /** The minimum number of units: if fewer fit, nothing is reserved, not even `amounts`. A whole number, 0 or more. */
  readonly least: number
  /** The maximum number of units. A whole number, at least `least`. */
  readonly most: number
}

export type LedgerAnswer = LedgerGrant | LedgerRefusal

/** A successful reservation. */
export interface LedgerGrant {
  readonly granted: true
  /** Everything that is reserved, including `further`. */
  readonly reserved: LedgerAmounts
  /** How many additional units are reserved. */
  readonly further: number
  /** What remains of each limit after the reservation. */
  readonly left: LedgerAmounts
}

/** A rejected reservation. */
export interface LedgerRefusal {
  readonly granted: false
  /** The unit of the first limit that would be exceeded. */
  readonly limit: LedgerUnit
  /**
   * When the reservation may fit, in milliseconds since 1970: when the open reservations that prevent it are expected
   * to end, or at the end of the window. Absent if the reservation exceeds the limit by itself, so that it can never
   * fit.
   */
  readonly retryAt?: number
  /** What remains of each limit; 0 for an exceeded limit. */
  readonly left: LedgerAmounts
}

/** The time span in which amounts are added up. */
export interface LedgerWindow {
  /** Milliseconds since 1970. */
  readonly start: number
  /** The start of the next window. */
  readonly end: number
}

/** An account's stored amounts in the current window. */
export interface LedgerBalance {
  /** Spent and reserved amounts together. */
  readonly used: LedgerAmounts
  readonly window: LedgerWindow
  /** Unsettled reservations whose `reserveMs` has not passed. Used only for `retryAt`. */
  readonly open?: readonly { readonly reserved: LedgerAmounts; readonly until: number }[]
}

export const ledgerUnits = ['requests', 'tokens', 'cost', 'images', 'audioSeconds', 'characters'] as const

/** Returns the window of a period that contains the time `now`. Times are in milliseconds since 1970. */
export function ledgerWindow(per: LedgerPeriod, now: number): LedgerWindow {
  if (per === 'month') {
    const day = new Date(now)
    const [year, month] = [day.getUTCFullYear(), day.getUTCMonth()]
    return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) }
  }
  const length = typeof per === 'number' ? per : lengths[per]
  // 1970 started on a Thursday.
  const first = per === 'week' ? -3 * lengths.day : 0
  const start = first + Math.floor((now - first) / length) * length
  return { start, end: start + length }
}

const hour = 3_600_000
const lengths = { hour, day: 24 * hour, week: 7 * 24 * hour }

/**
 * Decides whether a reservation fits. A store calls this in the transaction that reads the balance and, if the
 * reservation is granted, stores `addAmounts(used, reserved)` as the new `used`.
 */
export function decideReservation(
  { amounts, further, limits }: LedgerReservation,
  { used, window, open = [] }: LedgerBalance,
): LedgerAnswer {
  const { each = {}, least = 0, most = 0 } = further ?? {}
  const needed = addAmounts(amounts, each, least)
  const limit = firstExceeded(addAmounts(used, needed), needed, limits)
  if (limit) {
    const retryAt = retryTime({ needed, limits }, { used, window, open })
    return { granted: false, limit, ...(retryAt !== undefined && { retryAt }), left: leftOf(limits, used) }
  }
  let count = most
  for (const unit of ledgerUnits) {
    const bound = limits[unit]
    const by = each[unit] ?? 0
    if (bound === undefined || by === 0) continue
    const rest = bound - (used[unit] ?? 0) - (amounts[unit] ?? 0)
    count = Math.min(count, Math.floor((rest / by) * (1 + tolerance)))
  }
  const reserved = addAmounts(amounts, each, Math.max(least, count))
  const left = leftOf(limits, addAmounts(used, reserved))
  return { granted: true, reserved, further: Math.max(least, count), left }
}

/** The relative error to allow when costs are compared, because their sums are not exact. */
const tolerance = 1e-12

/** Returns the first unit whose limit `amounts` exceed, among the units that `needed` contains. */
export function firstExceeded(
  amounts: LedgerAmounts,
  needed: LedgerAmounts,
  limits: LedgerAmounts,
): LedgerUnit | undefined {
  return ledgerUnits.find((unit) => {
    const bound = limits[unit]
    return bound !== undefined && (needed[unit] ?? 0) > 0 && (amounts[unit] ?? 0) > bound * (1 + tolerance)
  })
}

/**
 * Returns when amounts may fit: when enough open reservations are expected to be settled, or in the next window.
 * Undefined if the amounts can never fit.
 */
function retryTime(
  { needed, limits }: { readonly needed: LedgerAmounts; readonly limits: LedgerAmounts },
  { used, window, open = [] }: LedgerBalance,
): number | undefined {
  if (firstExceeded(needed, needed, limits)) return undefined
  let rest = addAmounts(used, needed)
  for (const { reserved, until } of [...open].sort((one, other) => one.until - other.until)) {
    rest = addAmounts(rest, reserved, -1)
    if (!firstExceeded(rest, needed, limits)) return Math.min(until, window.end)
  }
  return window.end
}

function leftOf(limits: LedgerAmounts, used: LedgerAmounts): LedgerAmounts {
  return toAmounts((unit) => {
    const bound = limits[unit]
    return bound === undefined ? undefined : Math.max(0, roundAmount(bound - (used[unit] ?? 0)))
  })
}

/** Adds `more`, multiplied by `times`, to `amounts`. */
export function addAmounts(amounts: LedgerAmounts, more: LedgerAmounts, times = 1): LedgerAmounts {
  return toAmounts((unit) => {
    const [one, other] = [amounts[unit], more[unit]]
    return one === undefined && other === undefined
      ? undefined
      : roundAmount((one ?? 0) + (other ?? 0) * times)
  })
}

function toAmounts(amountOf: (unit: LedgerUnit) => number | undefined): LedgerAmounts {
  const entries = ledgerUnits.map((unit) => [unit, amountOf(unit)] as const)
  return Object.fromEntries(entries.filter(([, amount]) => amount !== undefined))
}

/** Returns by how much `amounts` exceed `others` in each unit, 0 or more. */
export function excess(amounts: LedgerAmounts, others: LedgerAmounts): LedgerAmounts {
  return toAmounts((unit) => Math.max(0, roundAmount((amounts[unit] ?? 0) - (others[unit] ?? 0))))
}

/** Removes the last digits, which are floating-point noise. */
function roundAmount(amount: number): number {
  return Number(amount.toPrecision(15))
}

/**
 * Stores call this before they reserve.
 * @throws CapstanError `invalid_request` for an invalid name, period or amount
 */
export function checkReservation(reservation: LedgerReservation): void {
  const { id, account, per, limits, amounts, further, reserveMs } = reservation
  checkName('id', id)
  checkName('account', account)
  checkPeriod(per)
  for (const given of [limits, amounts, further?.each ?? {}]) checkAmounts(given)
  const { least = 0, most = 0 } = further ?? {}
  if (!(Number.isSafeInteger(least) && Number.isSafeInteger(most) && least >= 0 && most >= least))
    throw invalid(`further is ${least} to ${most}. Use whole numbers, the smaller one first.`)
  if (!(reserveMs > 0 && Number.isFinite(reserveMs)))
    throw invalid(`reserveMs is ${String(reserveMs)}. Use a number above 0.`)
}

/**
 * Checks an account name or an id. `what` is the word for it in the error message.
 * @throws CapstanError `invalid_request` if `name` is not a string of 1 to 500 characters without control characters
 */
export function checkName(what: string, name: unknown): asserts name is string {
  const isText = typeof name === 'string' && name !== '' && name.length <= 500
  // A lone surrogate has no UTF-8 encoding: two such names would be one account.
  if (isText && name.isWellFormed() && !/\p{Cc}/u.test(name)) return
  const found = typeof name !== 'string' ? kindOf(name) : name === '' ? 'empty' : 'not valid'
  throw invalid(`${what} is ${found}. Use 1 to 500 characters without control characters.`)
}

/** @throws CapstanError `invalid_request` for an invalid period */
export function checkPeriod(per: unknown): void {
  const isLength = typeof per === 'number' && Number.isFinite(per) && per >= 1
  if (!isLength && !['hour', 'day', 'week', 'month'].includes(per as string))
    throw invalid(`per is ${String(per)}. Use "hour", "day", "week", "month" or milliseconds.`)
}

/** @throws CapstanError `invalid_request` for an unknown unit, or an amount that is not a number of at least 0 */
export function checkAmounts(amounts: LedgerAmounts): void {
  for (const [unit, amount] of Object.entries(amounts)) {
    if (!ledgerUnits.includes(unit as LedgerUnit))
      throw invalid(`Unknown unit "${unit}". Units: ${ledgerUnits.join(', ')}.`)
    if (amount !== undefined && !(Number.isFinite(amount) && amount >= 0))
      throw invalid(`${unit} is ${String(amount)}. Use a number of at least 0.`)
  }
}

function invalid(problem: string): CapstanError {
  return invalidRequest(`ledger: ${problem}`)
}

/** An account's amounts and reservations in one window. */
interface MemoryAccount {
  used: LedgerAmounts
  readonly window: LedgerWindow
  readonly reservations: Map<string, MemoryReservation>
}

interface MemoryReservation {
  readonly grant: LedgerGrant
  readonly until: number
  isSettled: boolean
}

/** Creates a ledger store in the memory of this process. Accounts are kept until their windows have ended. */
export function memoryLedger(): LedgerStore {
  const accounts = new Map<string, MemoryAccount>()
  /** The account that each reservation belongs to, by reservation id. */
  const owners = new Map<string, MemoryAccount>()
  let nextSweep = 0
  const sweep = (now: number) => {
    nextSweep = now + sweepMs
    for (const [name, { window, reservations }] of accounts) {
      const isOver = window.end + sweepMs <= now
      if (isOver) accounts.delete(name)
      for (const [id, { isSettled, until }] of reservations)
        if (isOver || (isSettled && until <= now)) {
          reservations.delete(id)
          owners.delete(id)
        }
    }
  }
  return {
    async reserve(reservation) {
      checkReservation(reservation)
      const { id, account: name, per, reserveMs } = reservation
      const now = Date.now()
      if (now >= nextSweep) sweep(now)
      const known = owners.get(id)?.reservations.get(id)
      if (known) return structuredClone(known.grant)
      const window = ledgerWindow(per, now)
      const key = JSON.stringify([name, per, window.start])
      const account = accounts.get(key) ?? { used: {}, window, reservations: new Map() }
      const waiting = [...account.reservations.values()].filter(
        ({ isSettled, until }) => !isSettled && until > now,
      )
      const open = waiting.map(({ grant, until }) => ({ reserved: grant.reserved, until }))
      const answer = decideReservation(reservation, { used: account.used, window, open })
      if (!answer.granted) return answer
      accounts.set(key, account)
      account.used = addAmounts(account.used, answer.reserved)
      account.reservations.set(id, { grant: answer, until: now + reserveMs, isSettled: false })
      owners.set(id, account)
      return structuredClone(answer)
    },
    async settle(id, spent) {
      checkAmounts(spent)
      const account = owners.get(id)
      const reservation = account?.reservations.get(id)
      if (!account || !reservation || reservation.isSettled) return
      reservation.isSettled = true
      account.used = addAmounts(addAmounts(account.used, reservation.grant.reserved, -1), spent)
    },
  }
}

/** The interval for removing ended windows and settled reservations, in milliseconds. */
const sweepMs = 60_000
