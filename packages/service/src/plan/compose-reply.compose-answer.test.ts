import { expect, test } from 'vitest'
import { composeAnswer } from './compose-reply.js'

const call = (name: string, args: object, result: unknown, more: object = {}) => ({
  name,
  arguments: { ...args },
  result,
  failed: false,
  artifacts: [],
  round: 0,
  ...more,
})

test('a result is told in a sentence that does not repeat what was asked', () => {
  const result = { city: 'Oslo', temperature: -3, conditions: 'light snow', windSpeed: null }
  expect(composeAnswer([call('get_weather', { city: 'Oslo' }, result)], [])).toBe(
    'get_weather (city Oslo): temperature -3, conditions light snow.',
  )
})

test('lists, nested results and bare values read as words', () => {
  const results = [
    call(
      'search',
      { query: 'cats' },
      {
        results: [
          { title: 'A', rank: 1 },
          { title: 'B', rank: 2 },
        ],
      },
    ),
    call('sum', {}, { result: 416.5 }),
    call('ping', {}, null),
    call('tags', {}, ['x', 'y']),
    call('empty', {}, []),
    call('say', {}, 'It is done!'),
  ]
  expect(composeAnswer(results, []).split('\n')).toEqual([
    'search (query cats): title A, rank 1; title B, rank 2.',
    'sum: 416.5.',
    'ping: nothing.',
    'tags: x, y.',
    'empty: nothing.',
    'say: It is done!',
  ])
})

test('artifacts are told by id, failures as failures, notes last', () => {
  const results = [
    call('draw', { prompt: 'a cat' }, {}, { artifacts: ['img_abcd2345', 'img_bcde2345'] }),
    call('vary', {}, { error: { message: 'out of paint' } }, { failed: true }),
    call('edit', {}, 'Error: no picture', { failed: true }),
  ]
  expect(composeAnswer(results, ['A note.']).split('\n')).toEqual([
    'draw made img_abcd2345 and img_bcde2345.',
    'vary failed: out of paint.',
    'edit failed: no picture.',
    'A note.',
  ])
})

test('a long result is cut, not poured out', () => {
  expect(composeAnswer([call('read', {}, 'word '.repeat(1000))], []).length).toBeLessThan(700)
  const many = composeAnswer(
    [
      call(
        'list',
        {},
        Array.from({ length: 50 }, (_, index) => index),
      ),
    ],
    [],
  )
  expect(many).toContain('11, 38 more.')
})
