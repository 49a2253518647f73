import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../../../scripts/cases.mjs'
import {
  alignSteps,
  type ComparableStep,
  differentParts,
  firstDifference,
  isSameJson,
  readRequest,
} from './compare-steps.js'

const step = (number: number, names: string, more: Partial<ComparableStep> = {}): ComparableStep => ({
  step: number,
  text: '',
  calls: [...names].map((name) => ({ name, arguments: {}, result: 1 })),
  ...more,
})
const steps = (names: readonly string[]) => names.map((one, at) => step(at, one))
const outline = (a: readonly string[], b: readonly string[]) =>
  alignSteps(steps(a), steps(b)).map((one) => `${one.a?.step ?? '-'}${one.b?.step ?? '-'}`)

test('steps are aligned in order up to the first difference, then by common calls', () => {
  expect(outline(['w', 'i', 'e', 's', ''], ['w', 'i', 'e', ''])).toEqual(['00', '11', '22', '3-', '43'])
  expect(outline(['a', 'x', 'b'], ['a', 'y', 'b'])).toEqual(['00', '11', '22'])
  expect(outline([], ['a'])).toEqual(['-0'])
})

test('alignment keeps all steps in order, and is symmetric', () => {
  const names = fc.array(fc.constantFrom('a', 'b', 'ab', ''), { maxLength: 8 })
  fc.assert(
    fc.property(names, names, (a, b) => {
      const pairs = alignSteps(steps(a), steps(b))
      expect(pairs.flatMap((one) => (one.a ? [one.a.step] : []))).toEqual(a.map((_, at) => at))
      expect(pairs.flatMap((one) => (one.b ? [one.b.step] : []))).toEqual(b.map((_, at) => at))
      const common = (list: readonly { a?: ComparableStep; b?: ComparableStep }[]) =>
        list.filter((one) => one.a && one.b && isSameJson(one.a.calls, one.b.calls)).length
      expect(common(alignSteps(steps(b), steps(a)))).toBe(common(pairs))
    }),
    { numRuns: cases(1000) },
  )
})

test('a step differs in its request, its answer, or what its calls came to', () => {
  const request = {
    instructions: 'Be short.',
    messages: [{ role: 'user', content: 'Hi' }],
    tools: [],
    settings: { model: 'm' },
  }
  const a = step(0, 'w', { request, text: 'So.' })
  expect(differentParts({ a, b: a })).toEqual([])
  expect(differentParts({ a })).toEqual([])
  const other = {
    ...a,
    request: { ...request, instructions: 'Be long.', settings: { model: 'n', seed: 1 } },
    text: 'Well.',
  }
  expect(differentParts({ a, b: other })).toEqual(['model', 'instructions', 'settings', 'text'])
  const called = { ...a, calls: [{ name: 'w', arguments: { city: 'Oslo' }, result: 2 }] }
  expect(differentParts({ a, b: called })).toEqual(['calls', 'results'])
  expect(
    firstDifference([
      { a, b: a },
      { a, b: called },
    ]),
  ).toBe(1)
  expect(firstDifference([{ a, b: a }])).toBeUndefined()
  expect(firstDifference([{ a }])).toBe(0)
})

test('requests of all kinds of servers are read', () => {
  const chat = {
    model: 'm',
    messages: [
      { role: 'system', content: 'S' },
      { role: 'user', content: 'U' },
    ],
    tools: [1],
  }
  expect(readRequest(JSON.stringify(chat))).toEqual({
    instructions: 'S',
    messages: [{ role: 'user', content: 'U' }],
    tools: [1],
    settings: { model: 'm' },
  })
  expect(readRequest('{"system":"S","messages":[{"role":"user"}]}')).toMatchObject({
    instructions: 'S',
    messages: [{ role: 'user' }],
  })
  expect(readRequest('{"instructions":"S","input":[{"role":"user"}]}')).toMatchObject({
    instructions: 'S',
    messages: [{ role: 'user' }],
  })
  expect(readRequest('no')).toBeUndefined()
  expect(readRequest('1')).toBeUndefined()
})

test('ids of calls, which are new in each run, do not differ', () => {
  const call = (id: string) => [
    { tool_calls: [{ id, type: 'function', function: { name: 'x' } }] },
    { tool_call_id: id },
  ]
  expect(isSameJson(call('call_1'), call('call_2'))).toBe(true)
  expect(isSameJson({ id: 1 }, { id: 2 })).toBe(false)
  expect(isSameJson({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(true)
})
