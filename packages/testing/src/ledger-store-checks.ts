import type { LedgerAmounts, LedgerAnswer, LedgerGrant, LedgerReservation, LedgerStore } from '@capstan/core'
import { type Check, expectRejection, expectSame, type StoreChecks, toChecks, unusualIds } from './check.js'

/**
 * Returns the checks that every `LedgerStore` must pass, for any test runner: `for (const { name, run } of
 * ledgerStoreChecks(makeStore)) test(name, run)`. Each check calls `makeStore` once and needs an empty store.
 */
export function ledgerStoreChecks(makeStore: () => LedgerStore | Promise<LedgerStore>): readonly Check[] {
  return toChecks(allChecks, makeStore)
}

const amountChecks: StoreChecks<LedgerStore> = {
  'amounts that fit are reserved, and the rest is reported': async (store) => {
    const limits = { tokens: 100, images: 3 }
    const first = await reserve(store, 'first', { limits, amounts: { tokens: 60, images: 1, requests: 1 } })
    expectSame(first, granted({ tokens: 60, images: 1, requests: 1 }, { tokens: 40, images: 2 }), 'reserve')
    const last = await reserve(store, 'last', { limits, amounts: { tokens: 40, images: 2 } })
    expectSame(last, granted({ tokens: 40, images: 2 }, { tokens: 0, images: 0 }), 'reserve of the rest')
  },

  'if one amount does not fit, nothing is reserved': async (store) => {
    const limits = { tokens: 100, images: 3 }
    const answer = await reserve(store, 'both', { limits, amounts: { tokens: 60, images: 4 } })
    expectSame(answer, { granted: false, limit: 'images', left: limits }, 'reserve')
    expectSame(await leftOf(store, limits), limits, 'what is left')
  },

  'an amount that is used up does not prevent reservations of others': async (store) => {
    const limits = { tokens: 100, images: 1 }
    await reserve(store, 'image', { limits, amounts: { images: 1 } })
    const answer = await reserve(store, 'text', { limits, amounts: { tokens: 100 } })
    expectSame(answer, granted({ tokens: 100 }, { tokens: 0, images: 0 }), 'reserve')
  },

  'sums of costs are not rejected because of rounding errors': async (store) => {
    const limits = { cost: 1 }
    for (let count = 0; count < 10; count++) {
      const answer = await reserve(store, `part ${count}`, { limits, amounts: { cost: 0.1 } })
      expectSame(answer.granted, true, `the answer to 0.1 of 1, after ${count} times`)
    }
    const more = await reserve(store, 'more', { limits, amounts: { cost: 0.000_001 } })
    expectSame(more.granted, false, 'the answer to more')
  },

  'as many further items are reserved as fit, but at least the minimum': async (store) => {
    const limits = { tokens: 100, cost: 1 }
    const further = { each: { tokens: 1, cost: 0.02 }, least: 10, most: 200 }
    const byCost = await reserve(store, 'by cost', { limits, amounts: { tokens: 20 }, further })
    expectSame(
      byCost,
      { ...granted({ tokens: 70, cost: 1 }, { tokens: 30, cost: 0 }), further: 50 },
      'reserve',
    )
    await store.settle('by cost', { tokens: 70 })
    const byTokens = await reserve(store, 'by tokens', { limits, amounts: { tokens: 20 }, further })
    expectSame(
      byTokens,
      { ...granted({ tokens: 30, cost: 0.2 }, { tokens: 0, cost: 0.8 }), further: 10 },
      'reserve of the least',
    )
    await store.settle('by tokens', { tokens: 11 })
    const none = await reserve(store, 'none', { limits, amounts: { tokens: 10 }, further })
    expectSame(none.granted, false, 'the answer when 9 are left of 10')
  },

  'each reservation has its own limits': async (store) => {
    await reserve(store, 'one', { limits: { images: 2 }, amounts: { images: 2 } })
    const lower = await reserve(store, 'two', { limits: { images: 1 }, amounts: { images: 1 } })
    expectSame(lower.granted, false, 'the answer under the lower limit')
    expectSame(lower.left, { images: 0 }, 'what is left under the lower limit')
    const higher = await reserve(store, 'three', { limits: { images: 3 }, amounts: { images: 1 } })
    expectSame(higher, granted({ images: 1 }, { images: 0 }), 'reserve under the higher limit')
    const without = await reserve(store, 'four', { limits: { tokens: 1 }, amounts: { images: 9 } })
    expectSame(without, granted({ images: 9 }, { tokens: 1 }), 'reserve without a limit')
  },

  'invalid names, periods and amounts are rejected, and reserve nothing': async (store) => {
    const changes: readonly object[] = [
      ...['', 'a\0b', 'a\nb', 'a\ud83d', 'x'.repeat(501), 7].flatMap((name) => [
        { account: name },
        { id: name },
      ]),
      ...['year', 0, -1, Number.NaN, Infinity].map((per) => ({ per })),
      ...[-1, Number.NaN, Infinity].flatMap((tokens) => [{ amounts: { tokens } }, { limits: { tokens } }]),
      { amounts: { wishes: 1 } },
      ...[-1, 0.5].map((least) => ({ further: { each: { tokens: 1 }, least, most: 2 } })),
      { further: { each: { tokens: 1 }, least: 3, most: 2 } },
      { reserveMs: 0 },
    ]
    const limits = { tokens: 9 }
    for (const change of changes) {
      const given = { ...toReservation('bad', { limits, amounts: { tokens: 1 } }), ...change }
      await expectRejection(store.reserve(given), 'invalid_request', `reserve with ${JSON.stringify(change)}`)
    }
    await reserve(store, 'good', { limits, amounts: { tokens: 1 } })
    for (const tokens of [-1, Number.NaN])
      await expectRejection(store.settle('good', { tokens }), 'invalid_request', `settle with ${tokens}`)
    expectSame(await leftOf(store, limits), { tokens: 8 }, 'what is left')
  },
}

const settleChecks: StoreChecks<LedgerStore> = {
  'after settling, the amount that was spent counts instead of the reserved one': async (store) => {
    const limits = { tokens: 100, images: 5 }
    await reserve(store, 'less', { limits, amounts: { tokens: 60, images: 2 } })
    await store.settle('less', { tokens: 25 })
    expectSame(await leftOf(store, limits), { tokens: 75, images: 5 }, 'what is left')
    await reserve(store, 'more', { limits, amounts: { tokens: 10 } })
    await store.settle('more', { tokens: 100, images: 1 })
    expectSame(await leftOf(store, limits), { tokens: 0, images: 4 }, 'what is left after more was spent')
    const answer = await reserve(store, 'next', { limits, amounts: { tokens: 1 } })
    expectSame(answer.granted, false, 'the answer after more was spent')
  },

  'settling counts once, and an unknown id changes nothing': async (store) => {
    const limits = { tokens: 100 }
    await reserve(store, 'one', { limits, amounts: { tokens: 60 } })
    await store.settle('one', { tokens: 10 })
    await store.settle('one', { tokens: 70 })
    await store.settle('another', { tokens: 5 })
    expectSame(await leftOf(store, limits), { tokens: 90 }, 'what is left')
  },

  'the same id reserves only once, even after it is settled': async (store) => {
    const limits = { tokens: 100 }
    const given = { limits, amounts: { tokens: 60 } }
    const first = await reserve(store, 'one', given)
    expectSame(await reserve(store, 'one', given), first, 'the same id again')
    expectSame(await leftOf(store, limits), { tokens: 40 }, 'what is left')
    await store.settle('one', { tokens: 10 })
    expectSame(await reserve(store, 'one', given), first, 'the same id after it was settled')
    expectSame(await leftOf(store, limits), { tokens: 90 }, 'what is left after it was settled')
  },

  'a rejected id can be reserved later': async (store) => {
    const limits = { tokens: 100 }
    await reserve(store, 'first', { limits, amounts: { tokens: 100 } })
    expectSame((await reserve(store, 'late', { limits, amounts: { tokens: 1 } })).granted, false, 'at first')
    await store.settle('first', {})
    const late = await reserve(store, 'late', { limits, amounts: { tokens: 1 } })
    expectSame(late, granted({ tokens: 1 }, { tokens: 99 }), 'reserve once it fits')
  },

  'a reservation that is not settled still counts after reserveMs, and can still be settled': async (
    store,
  ) => {
    const limits = { tokens: 100 }
    await reserve(store, 'lost', { limits, amounts: { tokens: 90 }, reserveMs: 1 })
    await passed(20)
    expectSame(await leftOf(store, limits), { tokens: 10 }, 'what is left')
    const answer = await reserve(store, 'next', { limits, amounts: { tokens: 20 } })
    expectSame(answer.granted, false, 'the answer to more than is left')
    await store.settle('lost', { tokens: 50 })
    expectSame(await leftOf(store, limits), { tokens: 50 }, 'what is left after it was settled')
  },
}

const accountChecks: StoreChecks<LedgerStore> = {
  'accounts are kept apart, whatever their names': async (store) => {
    const limits = { tokens: 2 }
    for (const [at, account] of unusualIds.entries())
      await reserve(store, `of ${at}`, { account, limits, amounts: { tokens: 1 } })
    for (const account of unusualIds)
      expectSame(await leftOf(store, limits, { account }), { tokens: 1 }, `what is left of "${account}"`)
  },

  'an account has a separate budget for each period': async (store) => {
    const limits = { tokens: 2 }
    const periods = ['hour', 'day', 'week', 'month', longest] as const
    for (const per of periods) await reserve(store, `of ${per}`, { per, limits, amounts: { tokens: 1 } })
    for (const per of periods)
      expectSame(await leftOf(store, limits, { per }), { tokens: 1 }, `what is left of the ${per}`)
  },

  'the same id in two accounts is one reservation': async (store) => {
    const limits = { tokens: 5 }
    await reserve(store, 'one', { account: 'a', limits, amounts: { tokens: 1 } })
    await reserve(store, 'one', { account: 'b', limits, amounts: { tokens: 1 } })
    expectSame(await leftOf(store, limits, { account: 'b' }), { tokens: 5 }, 'what is left of the other')
  },

  'each window starts with the entire limit, and late settling counts for the previous window': async (
    store,
  ) => {
    const limits = { tokens: 10 }
    const per = 40
    await reserve(store, 'first', { per, limits, amounts: { tokens: 10 } })
    const next = await granting(store, { per, limits, amounts: { tokens: 6 } })
    expectSame(next.left, { tokens: 4 }, 'what is left in the next window')
    await store.settle('first', { tokens: 1000 })
    await granting(store, { per, limits, amounts: { tokens: 7 } })
  },

  'a rejection reports when the reservation may fit': async (store) => {
    const limits = { tokens: 10 }
    const before = Date.now()
    const never = await reserve(store, 'never', { limits, amounts: { tokens: 11 } })
    expectSame(never, { granted: false, limit: 'tokens', left: limits }, 'the answer to more than the limit')
    await reserve(store, 'spent', { limits, amounts: { tokens: 5 } })
    await store.settle('spent', { tokens: 5 })
    const { retryAt: atEnd } = refusal(
      await reserve(store, 'next', { limits, amounts: { tokens: 6 } }),
      'once 5 of 10 are spent',
    )
    expectSame(Number(atEnd) % longest, 0, 'retryAt within a window, once it is spent')
    await reserve(store, 'open', { limits, amounts: { tokens: 5 }, reserveMs: 3_600_000 })
    const { retryAt = 0 } = refusal(
      await reserve(store, 'last', { limits, amounts: { tokens: 5 } }),
      'while 5 of 10 are reserved',
    )
    // The store may have its own clock.
    expectSame(Math.abs(retryAt - before - 3_600_000) < 120_000, true, `${retryAt}, the end of reserveMs,`)
  },
}

const concurrencyChecks: StoreChecks<LedgerStore> = {
  'exactly those of 60 concurrent reservations that fit are granted': async (store) => {
    const limits = { images: 37 }
    const answers = await Promise.all(
      numbers(60).map((at) => reserve(store, `call ${at}`, { limits, amounts: { images: 1 } })),
    )
    expectSame(answers.filter((answer) => answer.granted).length, 37, 'the number that were granted')
    expectSame(await leftOf(store, limits), { images: 0 }, 'what is left')
  },

  'concurrent reservations of as much as fits use the entire limit, and no more': async (store) => {
    const limits = { tokens: 1000 }
    const further = { each: { tokens: 1 }, least: 1, most: 90 }
    const answers = await Promise.all(
      numbers(40).map((at) => reserve(store, `${at}`, { limits, amounts: { tokens: 7 }, further })),
    )
    const sum = answers.reduce((all, one) => all + (one.granted ? (one.reserved.tokens ?? 0) : 0), 0)
    const { tokens: left = 0 } = await leftOf(store, limits)
    expectSame(sum + left, 1000, 'what was granted and what is left, together,')
    // A different reservation needs eight.
    expectSame(left < 8, true, `that little is left (${left})`)
  },

  'the same id, reserved and settled concurrently, counts once': async (store) => {
    const limits = { tokens: 100 }
    const given = { limits, amounts: { tokens: 30 } }
    const answers = await Promise.all(numbers(20).map(() => reserve(store, 'same', given)))
    for (const answer of answers) expectSame(answer, granted({ tokens: 30 }, { tokens: 70 }), 'an answer')
    await Promise.all(numbers(20).map(() => store.settle('same', { tokens: 3 })))
    expectSame(await leftOf(store, limits), { tokens: 97 }, 'what is left')
  },

  'concurrent first reservations of 30 accounts do not fail': async (store) => {
    const limits = { tokens: 1 }
    const answers = await Promise.all(
      numbers(60).map((at) =>
        reserve(store, `${at}`, { account: `account ${at % 30}`, limits, amounts: { tokens: 1 } }),
      ),
    )
    expectSame(answers.filter((answer) => answer.granted).length, 30, 'the number that were granted')
  },

  'ten concurrent users that reserve and settle spend the entire limit, and no more': async (store) => {
    const limits = { tokens: 2000 }
    let spent = 0
    const work = async (worker: number) => {
      for (let round = 0; round < 200; round++) {
        const id = `${worker}/${round}`
        const further = { each: { tokens: 1 }, least: 1, most: 40 }
        const answer = await reserve(store, id, { limits, amounts: { tokens: 10 }, further })
        if (!answer.granted) {
          const { tokens: left = 0 } = answer.left
          if (left < 11 && answer.retryAt !== undefined && answer.retryAt % longest === 0) return
          continue
        }
        // Use only half of the further units.
        const tokens = 10 + Math.floor(answer.further / 2)
        spent += tokens
        await store.settle(id, { tokens })
      }
    }
    await Promise.all(numbers(10).map(work))
    const { tokens: left = 0 } = await leftOf(store, limits)
    expectSame(spent + left, 2000, 'what was spent and what is left, together,')
    expectSame(left < 11, true, `that little is left (${left})`)
  },
}

const allChecks = { ...amountChecks, ...settleChecks, ...accountChecks, ...concurrencyChecks }

/** A period in milliseconds that is so long that its current window does not end until 2033. */
const longest = 1_000_000_000_000

function toReservation(
  id: string,
  given: Partial<LedgerReservation> & Pick<LedgerReservation, 'limits' | 'amounts'>,
): LedgerReservation {
  return { id, account: 'ada', per: longest, reserveMs: 60_000, ...given }
}

function reserve(store: LedgerStore, ...given: Parameters<typeof toReservation>): Promise<LedgerAnswer> {
  return store.reserve(toReservation(...given))
}

function granted(reserved: LedgerAmounts, left: LedgerAmounts): LedgerGrant {
  return { granted: true, reserved, further: 0, left }
}

function refusal(answer: LedgerAnswer, when: string) {
  if (answer.granted) throw new Error(`reserve ${when} should be rejected but was granted`)
  return answer
}

let probes = 0

/** Returns how much of the limits is left, by making an empty reservation. */
async function leftOf(
  store: LedgerStore,
  limits: LedgerAmounts,
  of: Partial<LedgerReservation> = {},
): Promise<LedgerAmounts> {
  return (await reserve(store, `probe ${probes++}`, { ...of, limits, amounts: {} })).left
}

/** Retries a reservation until it is granted. @throws Error after 200 attempts */
async function granting(
  store: LedgerStore,
  given: Parameters<typeof toReservation>[1],
): Promise<LedgerGrant> {
  for (let tries = 0; tries < 200; tries++) {
    const answer = await reserve(store, `try ${probes++}`, given)
    if (answer.granted) return answer
    await passed(10)
  }
  throw new Error('reserve should succeed in a later window, but was rejected each time')
}

function passed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => at)
}
