import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../../scripts/cases.mjs'
import { anyCharacter } from '../../test/any-character.js'
import { named } from '../../test/call-context.js'
import { wireCall } from '../../test/chunks.js'
import { expectLinear } from '../../test/expect-linear.js'
import { safeRepair } from '../tools/repair.js'
import { toToolset } from '../tools/tool.js'
import type { ToolCall } from '../types/message.js'
import { normalizeReply } from './normalize-reply.js'

const toolset = toToolset(['f', 'get_weather'].map((name) => named(name, () => name)))
const nobody: ReadonlySet<string> = new Set()
const admission = {
  toolset,
  offered: toolset.names,
  taken: nobody,
  turn: 0,
  repair: undefined,
  isFinal: false,
}

const admitted = (calls: readonly ToolCall[], taken = nobody, finishReason = 'tool_calls') => {
  const message = { role: 'assistant', content: '', tool_calls: calls } as const
  const { message: kept, results } = normalizeReply(
    { message, finishReason },
    { ...admission, taken, turn: 2 },
  )
  return { calls: kept.tool_calls ?? [], results }
}
const idsOf = (ids: readonly string[], taken = nobody) =>
  admitted(
    ids.map((id) => wireCall(id, 'f', '{}')),
    taken,
  ).calls.map(({ id }) => id)

test('returns a reply without calls unchanged and without an empty list', () => {
  const message = { role: 'assistant', content: 'Hello', reasoning_content: 'Hm.' } as const
  expect(normalizeReply({ message }, admission)).toEqual({ message, results: {}, repaired: {} })
  expect(normalizeReply({ message: { ...message, tool_calls: [] } }, admission).message).not.toHaveProperty(
    'tool_calls',
  )
})

test('rejects a tool that was not offered and keeps its name', () => {
  const message = { role: 'assistant', content: '', tool_calls: [wireCall('a', 'f', '{}')] } as const
  const { message: kept, results } = normalizeReply({ message }, { ...admission, offered: ['get_weather'] })
  expect(kept.tool_calls).toEqual(message.tool_calls)
  expect(results[0]).toMatchObject({
    status: 'rejected',
    content: 'Error: "f" is not available in this step and did not run. Available tools: get_weather.',
  })
})

test('keeps valid calls unchanged, unknown fields included', () => {
  const call = { ...wireCall('a', 'f', ' {"n": 1.0, "s":"\\u00e9"}'), extra_content: { signature: 's' } }
  const message = { role: 'assistant', content: null, tool_calls: [call], reasoning_content: 'Hm.' } as const
  expect(normalizeReply({ message }, admission)).toEqual({
    message,
    results: {},
    repaired: {},
  })
})

test.each([
  ['missing', [''], ['call_2_0']],
  ['blank', [' ', '\n'], ['call_2_0', 'call_2_1']],
  ['twice the same', ['a', 'a', 'a'], ['a', 'a_2', 'a_3']],
  ['like one made for another', ['a', 'a', 'a_2'], ['a', 'a_3', 'a_2']],
  ['like one made for a missing one', ['call_2_1', ''], ['call_2_1', 'call_2_1_2']],
  ['like one made for a missing one before it', ['', 'call_2_0'], ['call_2_0_2', 'call_2_0']],
])('makes an id that is %s unique', (_how, ids, expected) => {
  expect(idsOf(ids)).toEqual(expected)
})

test('creates no id that the conversation already has', () => {
  expect(idsOf(['a', 'b', ''], new Set(['a', 'a_2', 'call_2_2']))).toEqual(['a_3', 'b', 'call_2_2_2'])
})

test('creates non-empty unique ids for any input', () => {
  const id = fc.constantFrom('', ' ', 'a', 'a_2', 'a_2_2', 'call_2_0', 'call_2_1', '__proto__')
  const property = fc.property(fc.array(id, { minLength: 1 }), fc.array(id), (ids, taken) => {
    const before = new Set<string>(taken)
    const given = idsOf(ids, before)
    expect(new Set(given).size).toBe(ids.length)
    for (const one of given) expect(one.trim() === '' || before.has(one)).toBe(false)
  })
  fc.assert(property)
})

test.each([
  ['f', 'f'],
  [' f\n', 'f'],
  ['functions.f', 'f'],
  ['function:get_weather', 'get_weather'],
  ['functions/f', 'f'],
  ['f<|channel|>commentary', 'f'],
  [' functions.get_weather<|message|>', 'get_weather'],
  ['unknown', 'unknown'],
  [' unknown ', 'unknown'],
  ['F', 'F'],
])('normalizes the name %j to %s', (said, name) => {
  const { calls, results } = admitted([wireCall('a', said, '{}')])
  expect(calls[0]?.function.name).toBe(name)
  expect(results).toEqual({})
})

test('a toolset says which tools may be called that are not offered', () => {
  const tools = toToolset([named('f', () => 1), named('g', () => 2)])
  const asked: unknown[] = []
  const mayCall = (...given: readonly unknown[]) => asked.push(given) > 1
  const tool_calls = ['f', 'g', 'g'].map((name, at) => wireCall(`${at}`, name, '{}'))
  const message = { role: 'assistant', content: '', tool_calls } as const
  const { results } = normalizeReply(
    { message },
    { ...admission, toolset: { ...tools, mayCall }, offered: ['f'] },
  )
  expect(Object.keys(results)).toEqual(['1'])
  expect(asked).toEqual([
    ['g', ['f']],
    ['g', ['f']],
  ])
})

test('finds a tool whose name looks like a namespace', () => {
  const own = toToolset([named('functions_f', () => 1), named('invalid_tool_name', () => 1)])
  const message = {
    role: 'assistant',
    content: '',
    tool_calls: [wireCall('a', 'functions_f', '{}'), wireCall('b', 'invalid_tool_name', '{}')],
  } as const
  expect(normalizeReply({ message }, { ...admission, toolset: own, offered: own.names })).toEqual({
    message,
    results: {},
    repaired: {},
  })
})

test.each([
  ['', 'the call has no tool name'],
  [' ', 'the call has no tool name'],
  ['get weather', 'unknown tool "get weather"'],
  ['a'.repeat(65), 'unknown tool "aaa'],
  ['<|start|>', 'unknown tool "<|start|>"'],
  ['wetter\ud83d', 'unknown tool "wetter\ufffd"'],
])('rejects the name %j, which cannot be sent back', (said, why) => {
  const { calls, results } = admitted([wireCall('a', said, '{"x":1}')])
  expect(calls).toEqual([wireCall('a', 'invalid_tool_name', '{"x":1}')])
  expect(results[0]).toMatchObject({ status: 'rejected', ms: 0 })
  expect(results[0]?.content).toContain(why)
  expect(results[0]?.content).toContain('Available tools: f, get_weather.')
})

test.each([
  ['', '{}'],
  [' ', '{}'],
  ['null', '{}'],
  ['{"x":1}{"x":1}', '{"x":1}'],
  ['{}{"x":1}', '{"x":1}'],
  ['"{\\"x\\":1}"', '{"x":1}'],
  ['{}{"__proto__":{"x":1}}', '{"__proto__":{"x":1}}'],
])('rewrites the arguments %j as %s', (text, written) => {
  const { calls, results } = admitted([wireCall('a', 'f', text)])
  expect(calls[0]?.function.arguments).toBe(written)
  expect(results).toEqual({})
})

test('rejects invalid arguments with their text and empties them in the call', () => {
  const { calls, results } = admitted([wireCall('a', 'f', '{"x":1}'), wireCall('b', 'f', '{"x":')])
  expect(calls.map((call) => call.function.arguments)).toEqual(['{"x":1}', '{}'])
  expect(Object.keys(results)).toEqual(['1'])
  expect(results[1]?.content).toMatch(
    /^Error: invalid arguments for "f", the tool did not run: .*Received: \{"x":\nExpected: \{\}$/,
  )
})

test('rejects every call of a reply that was cut off, complete ones and unknown tools included', () => {
  const calls = [wireCall('a', 'f', '{"x":1}'), wireCall('b', 'gone', '{}'), wireCall('c', 'f', '{"x":')]
  for (const [finishReason, where] of [
    ['length', 'at a limit'],
    ['content_filter', 'by a filter'],
  ] as const) {
    const { results } = admitted(calls, nobody, finishReason)
    expect(Object.values(results).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    for (const [index, name] of ['f', 'gone', 'f'].entries())
      expect(results[index]?.content).toContain(
        `your reply was cut off ${where}, so none of its calls ran, including "${name}"`,
      )
    expect(results[2]?.content).toContain('Received: {"x":')
  }
  expect(Object.keys(admitted(calls.slice(0, 1)).results)).toEqual([])
})

test('rejects every call of a reply whose end is missing', () => {
  const message = { role: 'assistant', content: '', tool_calls: [wireCall('a', 'f', '{"x":1}')] } as const
  const { results } = normalizeReply({ message, incomplete: true }, admission)
  expect(results[0]).toMatchObject({ status: 'rejected', content: expect.stringContaining('cut off') })
})

test('does not repair the arguments of a reply that was cut off', () => {
  const message = { role: 'assistant', content: '', tool_calls: [wireCall('a', 'f', '{"x":1,}')] } as const
  const given = { ...admission, repair: safeRepair }
  expect(normalizeReply({ message }, given).repaired).toEqual({ 0: [expect.any(String)] })
  const { message: kept, repaired } = normalizeReply({ message, finishReason: 'length' }, given)
  expect(kept.tool_calls?.[0]?.function.arguments).toBe('{}')
  expect(repaired).toEqual({})
})

test('makes thousands of equal ids unique in linear time', () =>
  expectLinear((count) => {
    const ids = Array.from({ length: count }, () => 'a')
    return () => expect(new Set(idsOf(ids)).size).toBe(count)
  }, 2000))

test('normalizes any reply to one that can be sent back', () => {
  const text = fc.oneof(fc.string({ unit: anyCharacter }), fc.json(), fc.constantFrom('{}{"a":1}', '{"a":'))
  const call = fc.tuple(fc.string(), fc.oneof(fc.string({ unit: anyCharacter }), fc.constant('f')), text)
  const property = fc.property(fc.array(call, { minLength: 1 }), (given) => {
    const { calls, results } = admitted(given.map(([id, name, args]) => wireCall(id, name, args)))
    expect(new Set(calls.map(({ id }) => id)).size).toBe(given.length)
    for (const [index, { function: called }] of calls.entries()) {
      expect(called.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
      expect(Object.prototype.toString.call(JSON.parse(called.arguments))).toBe('[object Object]')
      if (results[index]) expect(results[index].content.isWellFormed()).toBe(true)
    }
  })
  fc.assert(property, { numRuns: cases(500) })
})

test('creates no id that looks like a nested call', () => {
  expect(idsOf(['c/x', 'c', 'd/y', 'c/x/z'])).toEqual(['c_x_2', 'c', 'd/y', 'c_x_z_2'])
})
