import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../../scripts/cases.mjs'
import { encode, read } from '../../test/read.js'
import { MessageBuilder } from '../features/reply-forms/reply-forms.js'
import type { ModelDelta } from '../types/model.js'
import { readCompletion } from './read-response.js'
import type { RawJson } from './reply-fields.js'
import { toResponse } from './reply-fields.js'
import { isFailure } from './response-errors.js'

const anything = [null, '', ' ', 'f', 0, 1, -1, '0', true, false, [], {}, ['x'], { x: 1 }]

/** Mostly what is usual, now and then anything. */
const mostly = (usual: fc.Arbitrary<unknown>, ...odd: unknown[]) =>
  fc.oneof({ weight: 40, arbitrary: usual }, { weight: 1, arbitrary: fc.constantFrom(...odd, ...anything) })

/** A record with these fields, now and then one more or one fewer. */
const withOdd = (fields: Record<string, fc.Arbitrary<unknown>>, more: Record<string, unknown[]>) => {
  const names = Object.keys(more)
  const added = fc
    .constantFrom(...names)
    .chain((name) =>
      fc.constantFrom(null, ...(more[name] ?? []), ...anything).map((value) => ({ [name]: value })),
    )
  const further = fc.oneof({ weight: 12, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: added })
  const fewer = fc.oneof(
    { weight: 20, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: fc.constantFrom(...Object.keys(fields)) },
  )
  return fc
    .tuple(fc.record(fields), further, fewer, fc.boolean())
    .map(([record, extra, left, isFirst]): RawJson => {
      const all = isFirst ? { ...extra, ...record } : { ...record, ...extra }
      return Object.fromEntries(Object.entries(all).filter(([name]) => name !== left))
    })
}

const text = fc.constantFrom('Hi.', ' ', 'Tromsø 🌌', '{"a":1}', '\ud83d')
const called = withOdd(
  {
    name: mostly(fc.constantFrom('f', 'g', 'functions.f', ' f')),
    arguments: mostly(fc.constantFrom('{}', '{"x":1}', ' {"x": 1}\n', '{"x":', 'null')),
  },
  { parameters: ['{}'], input: [{}], parsed_arguments: [{}] },
)
const call = withOdd(
  { id: mostly(fc.constantFrom('a', 'b', 'c')), type: mostly(fc.constant('function')), function: called },
  { index: [0, 1], name: ['g'], arguments: ['{"y":2}'], input: [{ y: 2 }] },
)
const calls = fc.oneof(
  { weight: 4, arbitrary: fc.array(call, { minLength: 1, maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom(undefined, null, [], {}) },
  { weight: 1, arbitrary: call },
)
const message = withOdd(
  {
    role: mostly(fc.constant('assistant')),
    content: mostly(fc.oneof(text, fc.constant(null)), [{ type: 'text', text: 'Hi.' }]),
    tool_calls: calls,
  },
  {
    refusal: ['No.'],
    reasoning_content: ['Hm.'],
    annotations: [],
    error: [{ message: 'no' }],
    function_call: [{ name: 'f', arguments: '{}' }],
    finish_reason: ['stop'],
    audio: [{ id: 'a' }],
  },
)
const reasons = ['length', 'content_filter', 'function_call', 'STOP', 'error', 'max_tokens', 'tool_use']
const choice = withOdd(
  {
    index: mostly(fc.constantFrom(0, -0)),
    message: mostly(message),
    finish_reason: mostly(fc.constantFrom('stop', 'tool_calls', null), ...reasons),
  },
  { logprobs: [], delta: [{ content: 'Hi.' }], text: ['Hi.'], content: ['Hi.'], error: [{ message: 'no' }] },
)
const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }
const completion = withOdd(
  {
    id: mostly(fc.constant('chatcmpl-1')),
    object: mostly(fc.constant('chat.completion'), 'error', 'chat.completion.chunk'),
    choices: mostly(fc.oneof({ weight: 9, arbitrary: choice.map((one) => [one]) }, fc.array(choice))),
    usage: mostly(fc.constantFrom(usage, null, { input_tokens: 3 }, { prompt_tokens: '3' })),
  },
  {
    error: [{ message: 'no' }],
    base_resp: [{ status_code: 0 }, { status_code: 1004 }],
    type: ['error', 'ping'],
    event: ['ping'],
    code: [500],
    message: ['no'],
    status: ['ok'],
  },
)

/** What putting it together with care comes to. */
function assembled(given: RawJson) {
  const deltas: ModelDelta[] = []
  const assembly = new MessageBuilder(
    (name) => name === 'f',
    (told) => deltas.push(told),
  )
  assembly.add(given)
  return { ...assembly.finish(true), deltas }
}

test('a completion that is read at once reads as one that is put together, in what it says and what is told', async () => {
  let atOnce = 0
  const property = fc.asyncProperty(completion, async (made) => {
    const body = JSON.stringify(made)
    const given: RawJson = JSON.parse(body)
    const whole = readCompletion(given)
    if (!whole) return
    const { message, ...rest } = whole
    const reply = { message, ...toResponse(given), ...rest }
    atOnce++
    expect(isFailure(given)).toBe(false)
    const expected = assembled(given)
    const { deltas, ...said } = expected
    expect(reply).toStrictEqual(said)
    expect(JSON.stringify(reply)).toBe(JSON.stringify(said))
    const { unread: _unread, ...told } = await read({ pieces: [encode(body)] })
    // Its calls are told with the reply.
    const texts = deltas.filter(({ type }) => type !== 'call')
    expect(told).toStrictEqual(JSON.parse(JSON.stringify({ ...said, deltas: texts })))
  })
  await fc.assert(property, { numRuns: cases(4000) })
  expect(atOnce).toBeGreaterThan(cases(400))
})

const plain: RawJson = {
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
}

test.each<[string, RawJson]>([
  ['an error beside the choices', { ...plain, error: { message: 'no' } }],
  ['two choices', { ...plain, choices: [...(plain.choices as []), ...(plain.choices as [])] }],
  ['no object', { choices: plain.choices }],
  [
    'another word for a cut',
    { ...plain, choices: [{ ...(plain.choices as RawJson[])[0], finish_reason: 'max_tokens' }] },
  ],
])('a completion with %s is read with care', (_what, given) => {
  expect(readCompletion(plain)).toBeDefined()
  expect(readCompletion(given)).toBeUndefined()
})
