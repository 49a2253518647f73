import { expect, test } from 'vitest'
import { KnownReplies } from './known-replies.js'

const said = (content: string) => ({ role: 'assistant', content }) as const

test('the beginning of an answer stays known when many later ones are', () => {
  const known = new KnownReplies()
  known.add('ann', said('One two three.'), undefined)
  expect(known.sourceOf('ann', [said('One two')])).toBe(false)
  for (let count = 0; count < 100; count++) known.add('ann', said(`Answer ${count}.`), undefined)
  expect(known.sourceOf('ann', [said('One two')])).toBe(false)
  expect(known.sourceOf('ann', [said('One two thr')])).toBeUndefined()
  expect(known.sourceOf('ann', [said('One two three.')])).toBe(false)
})

test('an answer that a tainted run gave as well is tainted, in whatever order', () => {
  const known = new KnownReplies()
  for (const sources of [
    ['page', undefined],
    [undefined, 'page'],
  ])
    for (const source of sources) known.add('ann', said('Done.'), source)
  expect(known.sourceOf('ann', [said('Done.')])).toBe('page')
})

test('a tainted answer counts more than an unknown one, and than a trusted one that begins alike', () => {
  const known = new KnownReplies()
  known.add('ann', said('Done: wipe it.'), 'page')
  known.add('ann', said('Done: all is well.'), undefined)
  expect(known.sourceOf('ann', [said('Unknown.'), said('Done: wipe it.')])).toBe('page')
  expect(known.sourceOf('ann', [said('Done:')])).toBe('page')
  expect(known.sourceOf('ann', [said('Done: all')])).toBe(false)
})

test('a text that names a call is no call', () => {
  const known = new KnownReplies()
  known.add('ann', said('["look_up","{}"]'), undefined)
  const call = { id: 'c', type: 'function', function: { name: 'look_up', arguments: '{}' } } as const
  expect(known.sourceOf('ann', [{ ...said(''), tool_calls: [call] }])).toBeUndefined()
})

test('the oldest are forgotten where there is too little room, and those in use are not', () => {
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

test("an answer that is larger than a user's share is not known, and leaves those of others known", () => {
  const known = new KnownReplies(64 * 1024)
  known.add('bob', said('Hello.'), undefined)
  known.add('ann', said('x'.repeat(40 * 1024)), undefined)
  expect(known.sourceOf('bob', [said('Hello.')])).toBe(false)
  expect(known.sourceOf('ann', [said('x'.repeat(40 * 1024))])).toBeUndefined()
})
