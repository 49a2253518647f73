import { expect, test } from 'vitest'
import { cutDraft, parseLimits } from './chat-request.js'
import { type Draft, tokensOf } from './draft.js'

const said = (text: string): Draft => ({ text, refusal: null, calls: [], finish: 'stop' })
const call = (name: string, args: string) => ({ name, arguments: args })
const called: Draft = {
  text: null,
  refusal: null,
  calls: [call('get_weather', '{"city":"Oslo"}'), call('get_weather', '{"city":"Rome"}')],
  finish: 'tool_calls',
}
const limits = (fields: Record<string, unknown>) => parseLimits(fields)

test('truncates a text at the token limit and reports it', () => {
  expect(cutDraft(said('one two three four'), limits({ max_tokens: 2 }))).toEqual({
    ...said('one two '),
    finish: 'length',
  })
  expect(cutDraft(said('one two'), limits({ max_tokens: 2 }))).toEqual(said('one two'))
  expect(cutDraft(said('abc😀def'), limits({ max_completion_tokens: 1 })).text).toBe('abc')
})

test('truncates a call within its arguments and drops later calls', () => {
  const cut = cutDraft(called, limits({ max_tokens: 5 }))
  expect(cut).toEqual({ ...called, calls: [call('get_weather', '{"city":"')], finish: 'length' })
  expect(tokensOf(cut)).toBe(5)
  expect(cutDraft(called, limits({ max_tokens: 7 })).calls).toHaveLength(1)
  expect(cutDraft(called, limits({ max_tokens: 2 })).calls).toEqual([])
  expect(cutDraft(called, limits({ max_tokens: 100 }))).toEqual(called)
})

test('the first of several stop sequences ends a text', () => {
  expect(cutDraft(said('one, two. three'), limits({ stop: ['.', ','] }))).toEqual({
    ...said('one'),
    stoppedBy: ',',
  })
  expect(cutDraft(said('one'), limits({ stop: 'x' })).text).toBe('one')
})

test.each([
  ['max_tokens', { max_tokens: 0 }],
  ['max_completion_tokens', { max_completion_tokens: 1.5 }],
  ['stop', { stop: '' }],
  ['stop', { stop: ['a', 'b', 'c', 'd', 'e'] }],
  ['stop', { stop: [7] }],
])('rejects %s with an invalid value and names the field', (param, fields) => {
  expect(() => parseLimits(fields)).toThrow(expect.objectContaining({ status: 400, param }))
})
