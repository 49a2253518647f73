import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assemble, delta, whole } from '../../test/chunks.js'

test('calls whose end never came are not handed out; text is, as incomplete', () => {
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

test.each(['tool_calls', 'function_call'])(
  'calls that were promised as %s and did not come are an error',
  (finish) => {
    expect(() => assemble([delta({ content: 'Let me look.' }, finish)])).toThrow(
      expect.objectContaining({ code: 'invalid_response', message: expect.stringContaining(finish) }),
    )
  },
)

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

test('no chunk, however odd, does anything but give a reply or one of these errors', () => {
  const chunk = fc.tuple(odd, fc.constantFrom(null, '', 'stop', 'tool_calls', 7), fc.boolean())
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
  fc.assert(property, { numRuns: 500 })
})
