import { type LedgerStore, memoryLedger } from '@capstan/core'
import { expect, test } from 'vitest'
import { ledgerStoreChecks } from './ledger-store-checks.js'

/** Returns the names of the checks that a store fails. */
async function failuresOf(makeStore: () => LedgerStore): Promise<string[]> {
  const checks = ledgerStoreChecks(makeStore)
  const outcomes = await Promise.allSettled(checks.map(({ run }) => run()))
  return checks.filter((_, at) => outcomes[at]?.status === 'rejected').map(({ name }) => name)
}

for (const { name, run } of ledgerStoreChecks(memoryLedger)) test(`memory: ${name}`, run)

const broken: readonly [string, (inner: LedgerStore) => Partial<LedgerStore>, readonly string[]][] = [
  [
    'reserves nothing',
    (inner) => ({
      async reserve(given) {
        const answer = await inner.reserve(given)
        await inner.settle(given.id, {})
        return answer
      },
    }),
    ['amounts that fit are reserved, and the rest is reported'],
  ],
  [
    'never settles',
    () => ({ settle: async () => {} }),
    ['after settling, the amount that was spent counts instead of the reserved one'],
  ],
  [
    'forgets the ids that it has settled',
    (inner) => {
      const times = new Map<string, number>()
      const named = (id: string) => `${id} ${times.get(id) ?? 0}`
      return {
        reserve: (given) =>
          inner.reserve({ ...given, id: given.id && `${given.id}`.slice(0, 490) && named(given.id) }),
        async settle(id, spent) {
          await inner.settle(named(id), spent)
          times.set(id, (times.get(id) ?? 0) + 1)
        },
      }
    },
    ['the same id reserves only once, even after it is settled'],
  ],
  [
    'releases what is not settled',
    (inner) => ({
      async reserve(given) {
        const answer = await inner.reserve(given)
        setTimeout(() => inner.settle(given.id, {}).catch(() => {}), given.reserveMs)
        return answer
      },
    }),
    ['a reservation that is not settled still counts after reserveMs, and can still be settled'],
  ],
  [
    'has one window',
    (inner) => ({
      reserve: (given) =>
        inner.reserve(typeof given.per === 'number' && given.per > 0 ? { ...given, per: 1e12 } : given),
    }),
    ['each window starts with the entire limit, and late settling counts for the previous window'],
  ],
  [
    'looks at the balance and reserves later',
    (inner) => ({
      async reserve(given) {
        const probe = await inner.reserve({ ...given, id: `look at ${given.id}`, limits: {} })
        await inner.settle(`look at ${given.id}`, {})
        const { left } = await inner.reserve({
          ...given,
          id: `${given.id} left`,
          amounts: {},
          further: undefined as never,
        })
        await new Promise((resolve) => setTimeout(resolve, 1))
        const fits = Object.entries(left).every(
          ([unit, rest]) => (given.amounts[unit as 'tokens'] ?? 0) <= rest,
        )
        return fits && probe.granted ? inner.reserve({ ...given, limits: {} }) : inner.reserve(given)
      },
    }),
    ['exactly those of 60 concurrent reservations that fit are granted'],
  ],
]

test.each(broken)('finds a store that %s', async (_what, change, wanted) => {
  const failures = await failuresOf(() => {
    const inner = memoryLedger()
    return { ...inner, ...change(inner) }
  })
  expect(failures).toEqual(expect.arrayContaining([...wanted]))
})
