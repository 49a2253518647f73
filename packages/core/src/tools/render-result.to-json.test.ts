import { expect, test } from 'vitest'
import { toJson, toJsonText, toShownJson } from './render-result.js'

const circle: Record<string, unknown> = { at: 1 }
circle.self = circle
const deep = JSON.parse(`${'['.repeat(3000)}${']'.repeat(3000)}`)
const unreadable = {
  get a() {
    throw new Error('do not look')
  },
}

test.each([
  ['text', 'half', 'half'],
  ['a plain value', { at: 1, of: [1, null, true] }, { at: 1, of: [1, null, true] }],
  ['a date', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
  ['a BigInt', 10n, '10'],
  ['a BigInt inside', { done: 10n, of: [20n] }, { done: '10', of: ['20'] }],
  ['a number beyond JSON', [Number.NaN, Number.POSITIVE_INFINITY], ['NaN', 'Infinity']],
  ['a symbol', Symbol('s'), 'Symbol(s)'],
  ['a circle', circle, { at: 1, self: '["self" is circular]' }],
  ['bytes', { part: new Uint8Array(3) }, { part: '["part" holds bytes]' }],
  ['an error', new Error('broken'), { error: 'broken' }],
  ['a Map', { all: new Map() }, { all: '["all" is a Map]' }],
  ['a getter that throws', unreadable, '[it cannot be read (do not look)]'],
  ['a toJSON that throws', { toJSON: () => unreadable.a }, '[it cannot be read (do not look)]'],
  ['nothing', undefined, undefined],
])('shows %s as JSON or as text', (_what, value, shown) => {
  expect(toShownJson(value)).toEqual(shown)
  expect(JSON.parse(toJsonText(shown))).toEqual(shown ?? null)
})

test('writes text in place of what JSON cannot hold', () => {
  expect(toJsonText({ n: 10n, list: [circle] })).toBe(
    '{"n":"10","list":[{"at":1,"self":"[\\"list.0.self\\" is circular]"}]}',
  )
  expect(toJsonText(undefined)).toBe('null')
  expect(() => JSON.parse(toJsonText({ deep, n: 10n }))).not.toThrow()
})

test('rejects an array with one huge index at once, with its length', () => {
  const sparse: number[] = []
  sparse[4_000_000_000] = 1
  const message = '"rows" is an array of 4000000001 entries with over 10000 missing'
  expect(() => toJson({ rows: sparse })).toThrow(message)
  expect(toShownJson({ rows: sparse, done: 1 })).toEqual({ rows: `[${message}]`, done: 1 })
})

test('writes null for some holes, and for any number of undefined entries', () => {
  const holes: (number | undefined)[] = []
  holes[3] = 1
  expect(toJson(holes)).toEqual([null, null, null, 1])
  expect(toJson(Array.from({ length: 20_000 }, () => undefined))).toHaveLength(20_000)
})

test('shows the first objects of values that refer to each other', () => {
  const friends = Array.from({ length: 30 }, (_, id) => ({ id, friends: [] as object[] }))
  for (const one of friends) one.friends.push(...friends)
  const shown = JSON.stringify(toShownJson({ friends, done: 1 }))
  expect(shown).toContain('comes after 100000 other objects]')
  expect(JSON.parse(shown)).toMatchObject({ done: 1 })
})
