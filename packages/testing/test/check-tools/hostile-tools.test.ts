import { type AnyTool, jsonSchema, tool } from '@capstan/core'
import { zod3 } from '@capstan/core/zod3'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { z as z3 } from 'zod/v3'
import { expectLinear } from '../../../core/test/expect-linear.js'
import { checkTools, toReportText } from '../../src/check-tools/check-tools.js'

const made = (parameters: Parameters<typeof tool>[0]['parameters'], name = 'move_lamps') =>
  tool({
    name,
    description: 'Moves the lamps of a house to where they are wanted.',
    parameters,
    execute: () => 'done',
  })

const rulesOf = (tools: readonly AnyTool[]) => checkTools(tools).findings.map(({ rule }) => rule)

/** Returns a schema with the right form and the given inside, which may misbehave when it is read. */
function schemaOver(inside: object): Parameters<typeof made>[0] {
  const schema = {
    '~standard': {
      version: 1,
      vendor: 'other',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => ({ type: 'object', properties: {} }) },
    },
  } as const
  return Object.defineProperties(schema, Object.getOwnPropertyDescriptors(inside))
}

describe('a schema with untrusted code', () => {
  test('reports what a getter throws, and checks the rest', () => {
    const lamp = {
      get _def() {
        throw new Error('no lamp today')
      },
    }
    const shape = { lamp, house: z.string().catch('mine') }
    const parameters = schemaOver({ _def: { type: 'object', shape } })
    const { findings } = checkTools([made(parameters)])
    expect(findings).toMatchObject([
      { rule: 'caught-value', path: 'house' },
      { rule: 'unreadable-schema', level: 'info', tool: 'move_lamps', path: 'lamp' },
    ])
    expect(findings[1]?.message).toContain('no lamp today')
  })

  test.each<[string, object]>([
    [
      'that throws null',
      {
        get _def(): never {
          throw null
        },
      },
    ],
    ['without a type', { _def: {} }],
    ['whose checks are no list', { _def: { type: 'string', checks: 7 } }],
    ['whose checks are empty', { _def: { type: 'string', checks: [null, undefined, 1, {}] } }],
    [
      'that lies in itself',
      (() => {
        const def: Record<string, unknown> = { type: 'optional' }
        const schema = { _def: def }
        def.innerType = schema
        return schema
      })(),
    ],
    [
      'that makes itself anew without end',
      (() => {
        const anew = (): object => ({ _def: { type: 'lazy', getter: anew } })
        return anew()
      })(),
    ],
    [
      'whose refusal throws',
      {
        _def: {
          type: 'string',
          checks: [
            {
              _zod: {
                def: {
                  check: 'custom',
                  error: () => {
                    throw new Error('no')
                  },
                },
              },
            },
          ],
        },
      },
    ],
  ])('a schema %s does not disturb', (_what, inside) => {
    expect(() => checkTools([made(schemaOver(inside))])).not.toThrow()
  })
})

test('a tree that branches endlessly is checked up to a limit', () => {
  const Tree: z.ZodType = z.object({
    get left() {
      return Tree
    },
    get right() {
      return z.lazy(() => Tree)
    },
  })
  expect(rulesOf([made(Tree)])).toContain('recursive-schema')
  const Tree3: z3.ZodTypeAny = z3.lazy(() => z3.object({ left: Tree3.optional(), right: z3.array(Tree3) }))
  expect(rulesOf([made(zod3(z3.object({ tree: Tree3 })))])).toContain('recursive-schema')
})

test('definitions that refer to each other twice, thirty deep, are checked up to a limit', () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => {
      const next = { $ref: `#/$defs/d${at + 1}` }
      return [`d${at}`, { type: 'object', properties: { left: next, right: next } }]
    }),
  )
  const properties = { first: { $ref: '#/$defs/d0' } }
  const bomb = jsonSchema({ type: 'object', properties, $defs: { ...$defs, d30: { type: 'string' } } })
  expect(rulesOf([made(bomb)])).toContain('deep-nesting')
})

const withParameters = (count: number) =>
  made(z.object(Object.fromEntries(Array.from({ length: count }, (_, at) => [`lamp_${at}`, z.string()]))))

test('parameters are checked in linear time', () =>
  expectLinear((count) => {
    const huge = [withParameters(count)]
    return () => checkTools(huge)
  }, 1000))

test('ten thousand parameters are reported in a few lines', () => {
  const { findings } = checkTools([withParameters(10_000)])
  const undescribed = findings.filter(({ rule }) => rule === 'undescribed-parameter')
  expect(undescribed).toHaveLength(20)
  expect(undescribed.at(-1)?.message).toContain('9980 more')
  expect(findings.map(({ rule }) => rule)).toContain('many-parameters')
})

test('tools are compared in linear time', () =>
  expectLinear((count) => {
    const tools = Array.from({ length: count }, (_, at) => made(z.object({}), `move_lamps_${at}`))
    return () => expect(rulesOf(tools)).toContain('duplicate-description')
  }, 250))

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
  '%s is a name like any other',
  (name) => {
    const properties = JSON.parse(`{"${name}": {"type": "string", "format": "${name}"}}`)
    const tools = [made(jsonSchema({ type: 'object', properties }), name)]
    const found = checkTools(tools).findings.filter(({ path }) => path !== undefined)
    expect(found.map(({ rule, path }) => `${rule} at ${path}`).toSorted()).toEqual([
      `foreign-format at ${name}`,
      `undescribed-parameter at ${name}`,
    ])
  },
)

test('escapes characters that control a terminal', () => {
  const name = '\u001b[31mred\u001b[0m\n\u202e'
  const text = toReportText(checkTools([made(z.object({ [name]: z.any() }))]))
  expect(text).not.toMatch(/[^\P{C}\n]/u)
  expect(text).toContain('open-value')
})

test('checks tools without parameters, and an empty list', () => {
  expect(checkTools([])).toEqual({ findings: [], tokens: 0, ok: true })
  expect(rulesOf([made(z.object({}))])).toEqual([])
})
