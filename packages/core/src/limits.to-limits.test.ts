import { expect, test } from 'vitest'
import { toLimits } from './limits.js'
import { kindOf } from './option-names.js'
import type { Limits } from './types/state.js'

/** As an error names a value: strings may be secrets. */
const shown = (value: unknown) =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : kindOf(value)

const limitsOf = (...given: unknown[]) => toLimits(...(given as Limits[]))

test('overrides earlier limits with later ones', () => {
  const over = { toolCalls: 3, perTool: { b: 2 } }
  expect(limitsOf({ steps: 20, toolCalls: 9, perTool: { a: 1 } }, over)).toEqual({ steps: 20, ...over })
})

test('ignores undefined', () => {
  expect(limitsOf(undefined, { steps: 20 }, { steps: undefined, cost: undefined }, undefined)).toStrictEqual({
    steps: 20,
  })
  expect(limitsOf()).toStrictEqual({})
})

test('removes a limit with Infinity and sets it again later', () => {
  const lift = { steps: Number.POSITIVE_INFINITY, cost: Number.POSITIVE_INFINITY }
  expect(limitsOf({ steps: 20, cost: 5 }, lift)).toStrictEqual({})
  expect(limitsOf({ steps: 20 }, lift, { steps: 3 })).toStrictEqual({ steps: 3 })
})

test('removes the limit of one tool with Infinity', () => {
  const limits = limitsOf({ perTool: { a: Number.POSITIVE_INFINITY, b: 2, c: undefined } })
  expect(limits).toStrictEqual({ perTool: { b: 2 } })
  expect(JSON.parse(JSON.stringify(limits))).toEqual(limits)
})

test('accepts 0 and fractional amounts', () => {
  const limits = {
    steps: 0,
    toolCalls: 0,
    perTool: { a: 0 },
    tokens: 0,
    seconds: 0.5,
    images: 0,
    audioSeconds: 0.1,
    cost: 0.01,
  }
  expect(limitsOf(limits)).toEqual(limits)
})

test.each(['steps', 'toolCalls', 'tokens', 'images'])('%s takes a whole number from 0 up', (name) => {
  for (const bound of [Number.NaN, '3', 1.5, -1, null, true, Number.NEGATIVE_INFINITY, {}])
    expect(() => limitsOf({ [name]: bound })).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        message: `limits: ${name} is ${shown(bound)}. Use a whole number of at least 0.`,
        evidence: { option: name },
      }),
    )
})

test.each(['seconds', 'audioSeconds', 'cost'])('%s takes a number from 0 up', (name) => {
  for (const bound of [Number.NaN, '3', -0.1, null, 3n])
    expect(() => limitsOf({ [name]: bound })).toThrow(
      `limits: ${name} is ${shown(bound)}. Use a number of at least 0.`,
    )
})

test.each([3, 'search', null])('rejects %j for perTool', (perTool) => {
  expect(() => limitsOf({ perTool })).toThrow('Use an object: { search: 5 }.')
})

test('checks and names the limit of one tool', () => {
  expect(() => limitsOf({ perTool: { a: 1, b: 1.5 } })).toThrow(
    'limits.perTool: b is 1.5. Use a whole number',
  )
})

test.each([
  ['step', ' Did you mean "steps"?'],
  ['maxSteps', ' Did you mean "limits.steps" of an agent?'],
  ['constructor', ''],
  ['__proto__', ''],
])('rejects the limit %s', (name, advice) => {
  expect(() => limitsOf(JSON.parse(`{ "${name}": 1 }`))).toThrow(
    `limits has no option "${name}".${advice} Options: steps, toolCalls, perTool, tokens, seconds, images, audioSeconds, artifacts, artifactBytes, cost.`,
  )
})

test('does not change its input', () => {
  const given = Object.freeze({ steps: 3, perTool: Object.freeze({ a: 1 }) })
  expect(limitsOf(given, { steps: 4 })).toEqual({ steps: 4, perTool: { a: 1 } })
})
