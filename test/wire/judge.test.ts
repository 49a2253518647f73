import { describe, expect, test } from 'vitest'
import { callsWith } from './completion.js'
import { callFails, type Expectation, ran, requestFails, said } from './expectation.js'
import { resultOf } from './follow-up.js'
import { judge } from './judge.js'
import type { Outcome } from './outcome.js'
import type { SeenRequest } from './replay.js'
import { inArea, type WireCase } from './wire-case.js'

const ranOslo = ran('get_weather', { city: 'Oslo' })
const call = { name: 'get_weather', arguments: { city: 'Oslo' } }
const sent = { id: 'call_1', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }
const result = resultOf('get_weather', { city: 'Oslo' })

function wireCase(expect: Expectation): WireCase {
  return inArea('shape')('x01', 'a case', { evidence: ['none'], plain: callsWith('{}'), expect })
}

function request(messages: readonly object[], at = 0): SeenRequest {
  const body = { messages: [{ role: 'user', content: 'Go.' }, ...messages] }
  const kind = messages.length === 0 ? 'question' : 'followUp'
  return { kind, raw: JSON.stringify(body), body, at }
}

function followUp(calls: readonly object[] = [sent], results: readonly string[] = [result]): SeenRequest {
  const answers = results.map((content, n) => ({ role: 'tool', tool_call_id: `call_${n + 1}`, content }))
  return request([{ role: 'assistant', content: 'Hm.', tool_calls: calls }, ...answers])
}

const asked = request([])
const usual: Outcome = {
  runs: [call],
  requests: [asked, followUp()],
  end: { kind: 'answer', text: 'Done.' },
  maxRetries: 0,
  pollution: [],
}
const thrown = (said: string, facts: object = {}): Partial<Outcome> => ({
  runs: [],
  requests: [asked],
  end: { kind: 'thrown', said, ...facts },
})
const answered = (text: string): Partial<Outcome> => ({
  runs: [],
  requests: [asked],
  end: { kind: 'answer', text },
})

test.each<[string, Expectation, Partial<Outcome>]>([
  ['a call that ran', ranOslo, {}],
  ['a text', said('Hi.'), answered('Hi.')],
  ['an error to the caller', requestFails('api', { mentions: ['BOOM'] }), thrown('boom', { code: 'api' })],
  [
    'an error to the model',
    callFails('invalid_arguments', { mentions: ['get_weather'] }),
    { runs: [], requests: [asked, followUp([sent], ['Error: no'])] },
  ],
  [
    'a retry that helped',
    requestFails('api', { retryable: true }),
    { ...answered('RECOVERED'), requests: [asked, asked], maxRetries: 2 },
  ],
])('%s passes', (_title, expected, outcome) => {
  expect(judge(wireCase(expected), { ...usual, ...outcome })).toEqual([])
})

describe.each<[string, Expectation, Partial<Outcome>, RegExp]>([
  ['a run without an end', ranOslo, { end: { kind: 'late' } }, /no end within/],
  ['a lost call', ranOslo, { runs: [] }, /did not run get_weather/],
  ['a call that ran twice', ranOslo, { runs: [call, call] }, /ran get_weather/],
  ['other arguments', ranOslo, { runs: [{ ...call, arguments: {} }] }, /ran get_weather\(\{\}\)/],
  ['an error about nothing', said('Hi.'), thrown('too bad'), /threw: too bad/],
  ['a crash', requestFails('api'), thrown("Cannot read properties of undefined (reading '0')"), /crashed/],
  ['silence', requestFails('api'), answered(''), /nobody was told/],
  ['vague words', requestFails('api', { mentions: ['boom'] }), thrown('an error'), /lacks "boom"/],
  ['another code', requestFails('api'), thrown('boom', { code: 'auth' }), /code is auth, not api/],
  ['another text', said('Hi.'), answered('Ho.'), /text is "Ho."/],
  ['a cut text called whole', said('Hi.', { incomplete: true }), answered('Hi.'), /not marked/],
  ['a lost refusal', { calls: [], refusal: 'No.' }, answered(''), /refusal/],
  ['a field not sent back', { ...ranOslo, echo: { 'tool_calls.0.x': 1 } }, {}, /tool_calls.0.x was not/],
  [
    'a useless retry',
    requestFails('auth', { retryable: false }),
    { ...thrown('no'), ...twice(900) },
    /cannot/,
  ],
  [
    'a retry too soon',
    requestFails('api', { retryAfterMs: 500 }),
    { ...thrown('no'), ...twice(300) },
    /300 ms/,
  ],
  [
    'too many retries',
    requestFails('api'),
    { ...thrown('no'), ...twice(900), maxRetries: 0 },
    /asked 2 times/,
  ],
  ['no id', ranOslo, { requests: [asked, followUp([{ ...sent, id: '' }])] }, /id/],
  ['an id twice', ranOslo, { requests: [asked, followUp([sent, sent], [result, result])] }, /twice/],
  ['a missing result', ranOslo, { requests: [asked, followUp([sent], [])] }, /0 results/],
  [
    'the result of another call',
    ranOslo,
    { requests: [asked, followUp([sent], [resultOf('get_weather', { city: 'Rome' })])] },
    /another call's/,
  ],
  [
    'arguments that are no text',
    ranOslo,
    { requests: [asked, followUp([{ ...sent, function: call }])] },
    /arguments in the history/,
  ],
  [
    'half of a surrogate pair inside arguments',
    { ...ranOslo, wellFormed: true },
    {
      requests: [
        asked,
        followUp([{ ...sent, function: { name: 'get_weather', arguments: '{"city":"\\ud83d"}' } }]),
      ],
    },
    /surrogate/,
  ],
  ['a polluted prototype', ranOslo, { pollution: ['polluted'] }, /"polluted"/],
])('%s', (_title, expected, outcome, fault) => {
  test('fails', () => {
    expect(judge(wireCase(expected), { ...usual, ...outcome }).join('\n')).toMatch(fault)
  })
})

function twice(afterMs: number): Partial<Outcome> {
  return { requests: [asked, request([], afterMs)], maxRetries: 2 }
}
