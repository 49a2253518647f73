import { expect, test } from 'vitest'
import { composeReply } from './conversation.js'

const call = (name: string, args: object, result: unknown, more: object = {}) => ({
  name,
  arguments: { ...args },
  result,
  failed: false,
  artifacts: [],
  round: 0,
  ...more,
})

test('a result is one sentence without the arguments', () => {
  const result = { city: 'Oslo', temperature: -3, conditions: 'light snow', windSpeed: null }
  expect(composeReply([call('get_weather', { city: 'Oslo' }, result)], [])).toBe(
    'get_weather (city Oslo): temperature -3, conditions light snow.',
  )
})

test('renders lists, nested results and plain values', () => {
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
  expect(composeReply(results, []).split('\n')).toEqual([
    'search (query cats): title A, rank 1; title B, rank 2.',
    'sum: 416.5.',
    'ping: nothing.',
    'tags: x, y.',
    'empty: nothing.',
    'say: It is done!',
  ])
})

test('lists artifacts by id, then failures, then notes', () => {
  const results = [
    call('draw', { prompt: 'a cat' }, {}, { artifacts: ['img_abcd2345', 'img_bcde2345'] }),
    call('vary', {}, { error: { message: 'out of paint' } }, { failed: true }),
    call('edit', {}, 'Error: no picture', { failed: true }),
  ]
  expect(composeReply(results, ['A note.']).split('\n')).toEqual([
    'draw made img_abcd2345 and img_bcde2345.',
    'vary failed: out of paint.',
    'edit failed: no picture.',
    'A note.',
  ])
})

test('truncates a long result', () => {
  expect(composeReply([call('read', {}, 'word '.repeat(1000))], []).length).toBeLessThan(700)
  const many = composeReply(
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
