import { expect, test } from 'vitest'
import { KnownReplies } from './known-replies.js'

const said = (content: string) => ({ role: 'assistant', content }) as const

test('the beginning of a reply stays known after many later replies', () => {
  const known = new KnownReplies()
  known.add('ann', said('One two three.'), undefined)
  expect(known.sourceOf('ann', [said('One two')])).toBe(false)
  for (let count = 0; count < 100; count++) known.add('ann', said(`Answer ${count}.`), undefined)
  expect(known.sourceOf('ann', [said('One two')])).toBe(false)
  expect(known.sourceOf('ann', [said('One two thr')])).toBeUndefined()
  expect(known.sourceOf('ann', [said('One two three.')])).toBe(false)
})

test('a reply that a tainted run gave too is tainted, in any order', () => {
  const known = new KnownReplies()
  for (const sources of [
    ['page', undefined],
    [undefined, 'page'],
  ])
    for (const source of sources) known.add('ann', said('Done.'), source)
  expect(known.sourceOf('ann', [said('Done.')])).toBe('page')
})

test('a tainted reply outranks an unknown one and a trusted one with the same beginning', () => {
  const known = new KnownReplies()
  known.add('ann', said('Done: wipe it.'), 'page')
  known.add('ann', said('Done: all is well.'), undefined)
  expect(known.sourceOf('ann', [said('Unknown.'), said('Done: wipe it.')])).toBe('page')
  expect(known.sourceOf('ann', [said('Done:')])).toBe('page')
  expect(known.sourceOf('ann', [said('Done: all')])).toBe(false)
})

test('text that looks like a call is not a call', () => {
  const known = new KnownReplies()
  known.add('ann', said('["look_up","{}"]'), undefined)
  const call = { id: 'c', type: 'function', function: { name: 'look_up', arguments: '{}' } } as const
  expect(known.sourceOf('ann', [{ ...said(''), tool_calls: [call] }])).toBeUndefined()
})

test('evicts the oldest replies and keeps those in use', () => {
  const known = new KnownReplies(64 * 1024)
  for (let count = 0; count < 100; count++) {
    known.add('ann', said(`Answer ${count}.`), undefined)
    known.sourceOf('ann', [said('Answer 0.')])
  }
  known.add('bob', said('Hello.'), undefined)
  expect(known.sourceOf('ann', [said('Answer 0.')])).toBe(false)
  expect(known.sourceOf('ann', [said('Answer 50.')])).toBeUndefined()
  expect(known.sourceOf('ann', [said('Answer 99.')])).toBe(false)
  expect(known.sourceOf('bob', [said('Hello.')])).toBe(false)
  expect(known.sourceOf('ann', [said('Hello.')])).toBeUndefined()
})

test("a reply larger than a user's share is not stored and evicts no other", () => {
  const known = new KnownReplies(64 * 1024)
  known.add('bob', said('Hello.'), undefined)
  known.add('ann', said('x'.repeat(40 * 1024)), undefined)
  expect(known.sourceOf('bob', [said('Hello.')])).toBe(false)
  expect(known.sourceOf('ann', [said('x'.repeat(40 * 1024))])).toBeUndefined()
})
