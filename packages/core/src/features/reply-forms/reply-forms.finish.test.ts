import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../../../scripts/cases.mjs'
import { assemble, delta, whole } from '../../../test/chunks.js'

test('returns no calls without an end, and text as incomplete', () => {
  const call = delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }] }, '')
  expect(() => assemble([call], false)).toThrow(
    expect.objectContaining({ code: 'truncated', retryable: true, evidence: { calls: ['f'] } }),
  )
  expect(assemble([call], true).message.tool_calls).toHaveLength(1)
  expect(assemble([delta({ content: 'Hel' })], false)).toMatchObject({
    message: { content: 'Hel' },
    incomplete: true,
  })
  expect(assemble([delta({ content: 'Hello' }, 'stop')], false)).not.toHaveProperty('incomplete')
})

test.each([[[]], [[{ choices: [] }]], [[{ usage: { prompt_tokens: 1 } }]], [[{ choices: 'none' }]]])(
  'an answer without a choice is no answer (case %#)',
  (chunks) => {
    expect(() => assemble(chunks)).toThrow(
      expect.objectContaining({ code: 'invalid_response', retryable: true }),
    )
  },
)

test.each(['tool_calls', 'function_call', 'tool_use'])(
  'calls that were promised as %s and did not come are an error',
  (finish) => {
    expect(() => assemble([delta({ content: 'Let me look.' }, finish)])).toThrow(
      expect.objectContaining({ code: 'invalid_response', message: expect.stringContaining(finish) }),
    )
  },
)

const call = (fields: object) => delta({ tool_calls: [fields] })
const named = (id: string, name: string | undefined, text: string, index?: number) =>
  call({ id, index, function: { name, arguments: text } })

test.each([
  ['MAX_TOKENS', 'length'],
  ['model_length', 'length'],
  ['SAFETY', 'content_filter'],
  ['STOP', 'stop'],
  [undefined, undefined],
  ['null', undefined],
])('reports the finish reason %j as %j', (finish, told) => {
  const chunk = delta({ content: 'Hm.' }, finish)
  expect(assemble([chunk, delta({}, 'None')]).finishReason).toBe(told)
  expect(assemble([chunk, delta({}, 'null')], false).incomplete).toBe(told === undefined ? true : undefined)
})

test('accepts a finish reason in the delta that does not replace a more severe one', () => {
  expect(assemble([delta({ content: 'Hm.', finish_reason: 'length' }), delta({}, 'stop')])).toMatchObject({
    finishReason: 'length',
    message: { role: 'assistant', content: 'Hm.' },
  })
})

test.each(['network_error', 'abort', 'insufficient_system_resource', 'TIMEOUT'])(
  'an answer that ends with %s failed, whatever came before and after',
  (finish) => {
    const chunks = [delta({ content: 'Hm.' }, finish), named('a', 'f', '{}'), delta({}, 'stop')]
    expect(() => assemble(chunks)).toThrow(
      expect.objectContaining({
        code: 'api',
        retryable: true,
        message: expect.stringContaining(`"${finish}"`),
      }),
    )
  },
)

test('needs a new finish reason or end mark after later content', () => {
  const early = delta({ content: 'Let me look.' }, 'stop')
  const late = named('a', 'f', '{"x"', 0)
  expect(() => assemble([early, late], false)).toThrow(expect.objectContaining({ code: 'truncated' }))
  expect(assemble([early, late], true).message.tool_calls).toHaveLength(1)
  expect(assemble([early, late, delta({}, 'tool_calls')], false).message.tool_calls).toHaveLength(1)
  expect(assemble([early, delta({ content: '', tool_calls: [] })], false)).not.toHaveProperty('incomplete')
})

test.each<[string, ...ReturnType<typeof named>[]]>([
  [
    'arguments under new ids',
    named('a', 'f', '', 0),
    named('b', undefined, '{"x"', 0),
    named('c', '', ':1}', 0),
  ],
  ['arguments under a new id without an index', named('a', 'f', '{}'), named('b', undefined, '{"x":1}')],
  ['name and arguments under a new id', named('a', 'f', '', 0), named('b', 'f', '{"x":1}', 0)],
])('does not run an empty call followed by %s', (_what, ...pieces) => {
  expect(() => assemble([...pieces, delta({}, 'tool_calls')])).toThrow(
    expect.objectContaining({
      code: 'invalid_response',
      retryable: true,
      message: expect.stringContaining('sent a call to f without arguments'),
    }),
  )
})

test('ignores stray arguments if every call has its own', () => {
  const { message } = assemble([named('a', 'f', '{"x":1}', 0), named('b', undefined, '{"y":2}', 1)])
  expect(message.tool_calls).toHaveLength(2)
  const twice = assemble([named('a', 'f', '', 0), named('b', 'g', '{}', 1)])
  expect(twice.message.tool_calls).toHaveLength(2)
})

test('drops empty calls beside a text', () => {
  const nothing = { id: '', type: 'function', function: { name: '', arguments: '' } }
  for (const message of [
    { tool_calls: [{}] },
    { tool_calls: [nothing] },
    { function_call: { name: '', arguments: '' } },
    { function_call: { name: null, arguments: null } },
  ])
    for (const chunk of [
      whole({ content: 'Hm.', ...message }),
      delta({ content: 'Hm.', ...message }, 'stop'),
    ])
      expect(assemble([chunk]).message).toEqual({ role: 'assistant', content: 'Hm.' })
})

const keys = [
  'tool_calls',
  'function_call',
  'function',
  'arguments',
  'name',
  'id',
  'index',
  'content',
  'text',
  'x',
]
const odd = fc.oneof(
  fc.object({ key: fc.constantFrom(...keys), maxDepth: 4 }),
  fc.record({ tool_calls: fc.array(fc.object({ key: fc.constantFrom(...keys) })) }),
)

test('gives a reply or a known error for any chunk', () => {
  const chunk = fc.tuple(odd, fc.constantFrom(null, '', 'stop', 'tool_calls', 'length', 7), fc.boolean())
  const property = fc.property(fc.array(chunk), fc.boolean(), (chunks, ended) => {
    const given = chunks.map(([message, finish, one]) =>
      one ? whole(message, { finish_reason: finish }) : delta(message, finish),
    )
    try {
      const { message } = assemble(given, ended)
      expect(message.role).toBe('assistant')
      for (const call of message.tool_calls ?? []) expect(typeof call.function.arguments).toBe('string')
    } catch (error) {
      expect(error).toMatchObject({ code: expect.stringMatching(/^(invalid_response|truncated)$/) })
    }
  })
  fc.assert(property, { numRuns: cases(500) })
})
