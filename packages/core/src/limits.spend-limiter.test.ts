import { expect, test } from 'vitest'
import { CapstanError } from './errors.js'
import { limitExceeded, limitOf, SpendLimiter } from './limits.js'
import type { Limits } from './types/state.js'
import { noUsage, type Spending, type Usage } from './usage.js'

const prices = { painter: { images: 10 }, voice: { characters: 1 } }

const spendLimiter = (limits: Limits, used: Partial<Usage> = {}, priced = false) =>
  new SpendLimiter({ usage: { ...noUsage, ...used }, limits, results: {} }, priced ? prices : undefined)

const refused = (limit: string) => expect.objectContaining({ code: 'stopped', evidence: { limit } })

test('accepts spending within the limits and rejects it beyond', () => {
  const one = spendLimiter({ images: 3 }, { images: 1 })
  one.spend({ images: 1 })
  expect(() => one.spend({ images: 2 })).toThrow(refused('images'))
  one.spend({ images: 1 })
  expect(() => one.spend({ images: 1 })).toThrow('Limit reached (images: 3). Nothing was done.')
})

test('limits audio seconds and only counts characters', () => {
  const one = spendLimiter({ audioSeconds: 1.5, images: 0 })
  one.spend({ audioSeconds: 1.5, characters: 1e9 })
  expect(() => one.spend({ audioSeconds: 0.1 })).toThrow(refused('audioSeconds'))
})

test('rejects only spending that adds to an exceeded limit', () => {
  const one = spendLimiter({ images: 1 }, { images: 5 })
  one.spend({ characters: 3 })
  one.spend({ images: 0, characters: 3 })
  expect(() => one.spend({ images: 1 })).toThrow(refused('images'))
})

test('does not count rejected spending', () => {
  const one = spendLimiter({ cost: 25 }, {}, true)
  expect(() => one.spend({ images: 3, model: 'painter' })).toThrow(refused('cost'))
  one.spend({ images: 2, model: 'painter' })
  one.spend({ characters: 5, model: 'voice' })
  expect(() => one.spend({ characters: 1, model: 'voice' })).toThrow(refused('cost'))
})

test('includes the cost so far', () => {
  const one = spendLimiter({ cost: 25 }, { cost: 6 }, true)
  one.spend({ images: 1, model: 'painter' })
  expect(() => one.spend({ images: 1, model: 'painter' })).toThrow(refused('cost'))
})

test.each([
  [{ images: 1, model: 'other' }, 'No price is known (other).'],
  [{ images: 1 }, 'No price is known (no model).'],
])('under a limit of costs, what has no price (%j) is refused', (spending, said) => {
  expect(() => spendLimiter({ cost: 1000 }, {}, true).spend(spending)).toThrow(said)
})

test('rejects spending under a cost limit with an unknown cost', () => {
  const spending = { images: 1, model: 'painter' }
  expect(() => spendLimiter({ cost: 1000 }, { cost: 'unknown' }, true).spend(spending)).toThrow(
    refused('cost'),
  )
  expect(() => spendLimiter({ cost: 1000 }).spend(spending)).toThrow(refused('cost'))
})

test('accepts unpriced spending without a cost limit', () => {
  const one = spendLimiter({ images: 2 }, {}, true)
  one.spend({ images: 1, model: 'other' })
  one.spend({ images: 1, model: 'painter' })
  expect(() => one.spend({ images: 1, model: 'painter' })).toThrow(refused('images'))
})

test.each([Number.NaN, -1, Number.POSITIVE_INFINITY, '1', null, 1n])('%s is no amount', (amount) => {
  for (const unit of ['images', 'audioSeconds', 'characters'])
    expect(() => spendLimiter({}).spend({ [unit]: amount } as Spending)).toThrow(
      expect.objectContaining({
        code: 'invalid_arguments',
        message: `ctx.spend got ${String(amount)} ${unit}. Use a number of at least 0.`,
      }),
    )
})

test('reads the limit from an error', () => {
  expect(limitOf(limitExceeded('images', 3))).toBe('images')
  expect(limitOf(new CapstanError('stopped', 'x'))).toBeUndefined()
  expect(limitOf(Object.assign(new Error('x'), { evidence: { limit: 'images' } }))).toBeUndefined()
  expect(limitOf(undefined)).toBeUndefined()
})
