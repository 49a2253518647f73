import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../../scripts/cases.mjs'
import { event } from '../../test/read.js'
import { isCapstanError } from '../errors.js'
import { MessageBuilder } from '../features/reply-forms/reply-forms.js'
import { isHeartbeatJson, readChunk, StreamReader } from '../features/reply-forms/stream-events.js'
import type { ModelDelta } from '../types/model.js'
import type { RawJson } from './reply-fields.js'
import { isFailure, toApiError } from './response-errors.js'

const anything = [null, '', ' ', 'f', 0, 1, '0', true, [], {}, ['x'], { x: 1 }]

/** Mostly what is usual, now and then anything. */
const mostly = (usual: fc.Arbitrary<unknown>, ...odd: unknown[]) =>
  fc.oneof({ weight: 30, arbitrary: usual }, { weight: 1, arbitrary: fc.constantFrom(...odd, ...anything) })

/** A record with these fields, each of them there or not, now and then with one more. */
const record = (fields: Record<string, fc.Arbitrary<unknown>>, more: Record<string, unknown[]>) => {
  const added = fc
    .constantFrom(...Object.keys(more))
    .chain((name) =>
      fc.constantFrom(null, ...(more[name] ?? []), ...anything).map((value) => ({ [name]: value })),
    )
  const further = fc.oneof({ weight: 15, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: added })
  return fc
    .tuple(fc.record(fields), further, fc.boolean())
    .map(([all, extra, isFirst]): RawJson => (isFirst ? { ...extra, ...all } : { ...all, ...extra }))
}

const pieces = fc.constantFrom('{"x":', '1', '}', '{}', ' ', '', '{"x":1}')
const beginning = record(
  {
    index: mostly(fc.constantFrom(0, 1, 2)),
    id: mostly(fc.constantFrom('a', 'b', 'c', '')),
    type: mostly(fc.constant('function')),
    function: record(
      { name: mostly(fc.constantFrom('f', 'g', ' ', '', 'fu')), arguments: mostly(pieces) },
      { parameters: ['{}'], thought: ['Hm.'] },
    ),
  },
  { name: ['f'], arguments: ['{}'], extra_content: [{ a: 1 }] },
)
const going = record(
  {
    index: mostly(fc.constantFrom(0, 1, 2, '1')),
    function: record({ arguments: mostly(pieces) }, { name: ['f', 'nc', ' '] }),
  },
  { id: ['a', 'b'], type: ['function'] },
)
const call = fc.oneof(beginning, going)
const calls = fc.oneof(
  { weight: 9, arbitrary: call.map((one) => [one]) },
  { weight: 1, arbitrary: fc.array(call, { maxLength: 3 }) },
)
const fields = {
  refusal: ['No.'],
  reasoning_content: ['Hm.'],
  reasoning: ['Hm.', 'm'],
  function_call: [{ name: 'f', arguments: '{}' }],
  error: [{ message: 'no' }],
  finish_reason: ['stop'],
}
const text = fc.constantFrom('Hi.', ' ', '', 'Hi. ', null)
const delta = fc.oneof(
  record({ content: mostly(text, [{ type: 'text', text: 'Hi.' }]) }, { role: ['assistant'], ...fields }),
  record({ tool_calls: mostly(calls) }, { content: ['Hi.', null], ...fields }),
  record({}, fields),
)
const message = record(
  { role: fc.constant('assistant'), content: mostly(text), tool_calls: mostly(fc.constantFrom(null, [])) },
  fields,
)
const reasons = ['length', 'content_filter', 'function_call', 'STOP', 'error', 'null', 'tool_use']
const ended = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(null, undefined, null, null) },
  { weight: 2, arbitrary: fc.constantFrom('stop', 'tool_calls', ...reasons) },
)
const choice = fc.oneof(
  {
    weight: 12,
    arbitrary: record(
      { index: mostly(fc.constant(0)), delta: mostly(delta), finish_reason: ended },
      { logprobs: [{ content: [] }], message: [{ content: 'Hi.' }], text: ['Hi.'], content: ['Hi.'] },
    ),
  },
  { weight: 1, arbitrary: record({ message, finish_reason: ended }, { index: [0] }) },
)
const chunk = record(
  {
    object: mostly(fc.constantFrom('chat.completion.chunk', undefined), 'ping', 'error'),
    choices: mostly(fc.oneof({ weight: 9, arbitrary: choice.map((one) => [one]) }, fc.array(choice)), []),
    usage: mostly(fc.constantFrom(null, undefined), { prompt_tokens: 3, completion_tokens: 4 }),
  },
  {
    error: [{ message: 'no' }],
    base_resp: [{ status_code: 0 }, { status_code: 1004 }],
    type: ['ping', 'error', 'content'],
    event: ['ping', 'keep-alive'],
    system_fingerprint: ['fp'],
  },
)

const toFailure = (body: string) => toApiError({ status: 200, body, header: () => null })

type Use = (assembly: MessageBuilder) => (chunk: RawJson) => void

/** Everything that can be told from outside, after each chunk and at the end. */
function outcome(chunks: readonly RawJson[], isEnded: boolean, use: Use) {
  const told: (ModelDelta | boolean)[] = []
  const assembly = new MessageBuilder(
    (name) => ['f', 'g', 'func'].includes(name),
    (one) => told.push(one),
  )
  const take = use(assembly)
  try {
    for (const one of chunks) {
      take(one)
      told.push(assembly.isFinished)
    }
    return { told, reply: assembly.finish(isEnded) }
  } catch (error) {
    if (!isCapstanError(error)) throw error
    return { told, failed: [error.code, error.message, error.evidence] }
  }
}

/** All chunks put together with care. */
const carefully = (assembly: MessageBuilder) => (one: RawJson) => {
  if (isHeartbeatJson(one)) return
  if (isFailure(one)) throw toFailure(JSON.stringify(one))
  assembly.add(one)
}

const asStream = (assembly: MessageBuilder) => {
  const reader = new StreamReader(assembly, toFailure)
  return (one: RawJson) => reader.write(event(one))
}

test('a stream reads the same whether its plain chunks are read at once or all are put together with care', () => {
  let atOnce = 0
  const property = fc.property(fc.array(chunk, { maxLength: 8 }), fc.boolean(), (made, isEnded) => {
    const chunks: RawJson[] = JSON.parse(JSON.stringify(made))
    for (const one of chunks) if (readChunk(one)) atOnce++
    const read = outcome(chunks, isEnded, asStream)
    expect(read).toStrictEqual(outcome(chunks, isEnded, carefully))
  })
  fc.assert(property, { numRuns: cases(8000) })
  expect(atOnce).toBeGreaterThan(cases(4000))
})

const plain = (delta: unknown): RawJson => ({ choices: [{ index: 0, delta, finish_reason: null }] })
const said = (reasoning: string): RawJson => ({ choices: [{ message: { content: '', reasoning } }] })

test.each<[string, RawJson[]]>([
  [
    'a name of white space after a beginning without one',
    ['', ' '].map((name) => plain({ tool_calls: [{ index: 0, function: { name, arguments: '{' } }] })),
  ],
  [
    'a field beside one of several equal texts',
    [{}, { base_resp: { status_code: 0 } }, {}].map((fields) => ({
      ...plain({ content: 'Hi.' }),
      ...fields,
    })),
  ],
  ['a field of null between messages', [said('Hm.'), plain({ reasoning: null }), said('Hm')]],
])('reads %s like the lenient reader', (_what, chunks) => {
  expect(outcome(chunks, true, asStream)).toStrictEqual(outcome(chunks, true, carefully))
})
