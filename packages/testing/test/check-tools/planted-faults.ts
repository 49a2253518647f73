// Tools with one problem each, and the rule and path that `checkTools` must report for it.
import { type AnyTool, jsonSchema, tool } from '@capstan/core'
import { zod3 } from '@capstan/core/zod3'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import * as z from 'zod'
import * as mini from 'zod/mini'
import { z as z3 } from 'zod/v3'

/** A case: what is wrong, the tools, and everything that must be found, as `rule` or `rule at path`. */
export type PlantedFault = readonly [what: string, tools: readonly AnyTool[], findings: readonly string[]]

interface Changes {
  readonly name?: string
  readonly description?: string
  readonly parameters?: StandardSchemaV1
  readonly effects?: 'read'
  readonly untrusted?: boolean
  readonly strict?: boolean
}

const city = z.string().describe('Name of the city')

function made(changes: Changes): AnyTool {
  const description = 'Moves the lamps of a house to where they are wanted.'
  return tool({
    name: 'move_lamps',
    description,
    parameters: z.object({ city }),
    execute: () => 'done',
    ...changes,
  })
}

const four = (fields: z.ZodRawShape) => [made({ parameters: z.object(fields) })]
const three = (fields: z3.ZodRawShape) => [made({ parameters: zod3(z3.object(fields)) })]
const small = (fields: Parameters<typeof mini.object>[0]) => [made({ parameters: mini.object(fields) })]
const plain = (properties: Readonly<Record<string, unknown>>, further = {}) => [
  made({ parameters: jsonSchema({ type: 'object', properties, ...further }) }),
]
const said = { description: 'Which lamps are meant' }

let counted = 0
const count = () => (counted += 1)

const Branch: z.ZodType = z.object({
  name: z.string().describe('Of the branch'),
  get twigs() {
    return z.array(Branch).describe('What grows on it')
  },
})

const deep = (levels: number): z.ZodType =>
  levels === 0 ? z.string() : z.object({ inner: deep(levels - 1) }).describe('A level')

const many = (length: number) =>
  Array.from({ length }, (_, at) =>
    made({
      name: `move_lamps_${at}`,
      description: `Moves lamps numbered ${Array.from({ length: 6 }, (_, more) => `x${at}y${more}`).join(' ')}`,
    }),
  )

/** A tool whose schema can be read only while the tool is being created. */
function forgetful(): readonly AnyTool[] {
  const shelf: { lamp?: z.ZodType } = { lamp: z.string() }
  const lamp = z.lazy(() => {
    if (!shelf.lamp) throw new Error('no schema')
    return shelf.lamp
  })
  const tools = four({ lamp: lamp.describe('Which lamp') })
  delete shelf.lamp
  return tools
}

const lost: readonly PlantedFault[] = [
  ['a schema that is gone', forgetful(), ['unreadable-schema at lamp']],
  [
    'a refinement, zod 4',
    four({ city: z.string().refine((name) => name !== 'Atlantis') }),
    ['hidden-check at city', 'undescribed-parameter at city'],
  ],
  [
    'a described refinement',
    four({ city: city.refine((name) => name !== 'Atlantis') }),
    ['hidden-check at city'],
  ],
  [
    'superRefine in a list',
    four({ tags: z.array(z.string().superRefine(() => {})).describe('Of the lamps') }),
    ['hidden-check at tags[]'],
  ],
  [
    'a refinement of the whole',
    [made({ parameters: z.object({ city }).refine(() => true) })],
    ['hidden-check'],
  ],
  [
    'a refinement, zod mini',
    small({
      city: mini.string().check(
        mini.refine(() => true),
        mini.describe('A city'),
      ),
    }),
    ['hidden-check at city'],
  ],
  [
    'a refinement, zod 3',
    three({
      address: z3.object({
        street: z3
          .string()
          .describe('With number')
          .refine(() => true),
      }),
    }),
    ['hidden-check at address.street'],
  ],
  [
    'a custom schema, zod 3',
    three({ lamp: z3.custom<string>(() => true) }),
    ['hidden-check at lamp', 'open-value at lamp', 'undescribed-parameter at lamp'],
  ],
  [
    'bounds of a date',
    four({ at: z.coerce.date().min(new Date()).describe('When') }),
    ['lost-constraint at at'],
  ],
  [
    'bounds of a date, zod 3',
    three({ at: z3.coerce.date().min(new Date()).describe('When') }),
    ['lost-constraint at at'],
  ],
  [
    'flags of a pattern',
    four({
      code: z
        .string()
        .regex(/^[a-z]+$/i)
        .describe('As "AB"'),
    }),
    ['lost-flags at code'],
  ],
  [
    'flags of a pattern, zod 3',
    three({
      code: z3
        .string()
        .regex(/^[a-z]+$/i)
        .describe('As "AB"'),
    }),
    ['lost-flags at code'],
  ],
  [
    'a transform',
    four({ house: z.object({ rooms: z.string().transform(Number) }) }),
    [
      'transformed-value at house.rooms',
      'undescribed-parameter at house',
      'undescribed-parameter at house.rooms',
    ],
  ],
  [
    'a transform, zod 3',
    three({ rooms: z3.string().transform(Number) }),
    ['transformed-value at rooms', 'undescribed-parameter at rooms'],
  ],
  [
    'a codec',
    four({ dimmed: z.stringbool() }),
    ['transformed-value at dimmed', 'undescribed-parameter at dimmed'],
  ],
  [
    'a schema behind a transform',
    four({ rooms: z.string().transform(Number).pipe(z.number().min(1)).describe('How many') }),
    ['piped-schema at rooms'],
  ],
  [
    'a schema behind a transform, zod 3',
    three({ rooms: z3.string().transform(Number).pipe(z3.number().min(1)).describe('How many') }),
    ['piped-schema at rooms'],
  ],
  [
    'z.coerce.boolean',
    four({ dimmed: z.coerce.boolean().describe('Whether they are dimmed') }),
    ['coerced-value at dimmed'],
  ],
  [
    'z.coerce.number, zod 3',
    three({ rooms: z3.coerce.number().describe('How many') }),
    ['coerced-value at rooms'],
  ],
  [
    'a default that counts',
    four({ turn: z.int().default(count).describe('Which turn it is') }),
    ['changing-default at turn'],
  ],
  [
    'a default that counts, zod 3',
    three({ turn: z3.number().default(count).describe('Which turn it is') }),
    ['changing-default at turn'],
  ],
  ['.catch()', four({ city: city.catch('Oslo') }), ['caught-value at city']],
  [
    '.catch(), zod 3',
    three({ city: z3.string().catch('Oslo').describe('Name of the city') }),
    ['caught-value at city'],
  ],
]

const shape: readonly PlantedFault[] = [
  [
    'a choice at the root',
    [
      made({
        parameters: jsonSchema({
          type: 'object',
          properties: { city: { type: 'string', ...said } },
          anyOf: [{ required: ['city'] }],
        }),
      }),
    ],
    ['root-choice'],
  ],
  [
    'brackets in a parameter',
    plain({ 'filter[city]': { type: 'string', ...said } }),
    ['parameter-key at ["filter[city]"]'],
  ],
  ['a list of nothing known', plain({ lamps: { type: 'array', ...said } }), ['list-without-items at lamps']],
  [
    'z.any in a list, zod 3',
    three({ lamps: z3.array(z3.any()).describe('Of the house') }),
    ['list-without-items at lamps'],
  ],
  ['z.any', four({ lamp: z.any().describe('Which lamp') }), ['open-value at lamp']],
  [
    'z.unknown in a list',
    four({ lamps: z.array(z.unknown()).describe('Which lamps') }),
    ['open-value at lamps[]'],
  ],
  [
    'a loose object',
    four({ lamp: z.looseObject({ id: z.string() }).describe('Which lamp') }),
    ['open-object at lamp'],
  ],
  [
    'a record of anything',
    four({ labels: z.record(z.string(), z.unknown()).describe('Of the lamp') }),
    ['open-object at labels'],
  ],
  ['an object without fields', plain({ lamp: { type: 'object', ...said } }), ['open-object at lamp']],
  [
    'a tuple',
    four({ spot: z.tuple([z.number(), z.number()]).describe('Left and top') }),
    ['fixed-positions at spot'],
  ],
  ['a schema that holds itself', four({ tree: Branch }), ['recursive-schema at tree.twigs[]']],
  ['a root that holds itself', [made({ parameters: Branch })], ['recursive-schema at twigs[]']],
  [
    'a reference',
    plain({ lamp: { $ref: '#/$defs/lamp' } }, { $defs: { lamp: { type: 'string', ...said } } }),
    ['schema-reference at lamp'],
  ],
  ['not', plain({ lamp: { type: 'string', not: { const: 'all' }, ...said } }), ['rare-keyword at lamp']],
  ['if', plain({ lamp: { type: 'string', ...said } }, { if: { required: ['lamp'] } }), ['rare-keyword']],
  [
    'a lookahead',
    four({
      lamp: z
        .string()
        .regex(/^(?!all).+$/)
        .describe('Which lamp'),
    }),
    ['foreign-pattern at lamp'],
  ],
  [
    'a named group',
    four({
      lamp: z
        .string()
        .regex(/^(?<room>[a-z]+)-[0-9]$/)
        .describe('As "hall-1"'),
    }),
    ['foreign-pattern at lamp'],
  ],
  ['a format of zod', four({ lamp: z.cuid2().describe('Which lamp') }), ['foreign-format at lamp']],
  ['six levels', four({ one: deep(6) }), ['deep-nesting at one.inner.inner.inner.inner.inner']],
  [
    '101 parameters',
    four(
      Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`lamp_${at}`, z.boolean().describe('On')])),
    ),
    ['many-parameters', 'costly-tool'],
  ],
  [
    '101 values',
    four({ lamp: z.enum(Array.from({ length: 101 }, (_, at) => `lamp-${at}`)).describe('Which lamp') }),
    ['many-choices at lamp'],
  ],
  [
    'strict with an optional parameter',
    [made({ strict: true, parameters: z.strictObject({ city: city.optional() }) })],
    ['strict-schema at city'],
  ],
  ['strict with an open object', [made({ strict: true })], ['strict-schema']],
]

const words: readonly PlantedFault[] = [
  ['an empty description', [made({ description: ' ' })], ['missing-description']],
  ['a description of two words', [made({ description: 'Lamps, moved' })], ['short-description']],
  [
    'a description that repeats the name',
    [made({ description: 'This tool moves the lamps.' })],
    ['repeated-name'],
  ],
  [
    'a description of 1100 characters',
    [made({ description: 'Moves lamps to walls and back. '.repeat(36) })],
    ['long-description'],
  ],
  ['two tools with one description', [made({}), made({ name: 'shift_lights' })], ['duplicate-description']],
  [
    'a hidden sign',
    [made({ description: 'Moves the lamps of\u200b a house to other rooms.' })],
    ['invisible-characters'],
  ],
  [
    'a hidden sign in a parameter',
    four({ city: z.string().describe('Name\u202e of a city') }),
    ['invisible-characters at city'],
  ],
  [
    'a parameter nobody describes',
    four({ address: z.object({ street: z.string() }) }),
    ['undescribed-parameter at address', 'undescribed-parameter at address.street'],
  ],
  ['a parameter named data', three({ data: z3.string() }), ['vague-parameter at data']],
  ['optional and null', four({ city: city.nullish() }), ['optional-or-null at city']],
  [
    'a flag that is on',
    four({ photos: z.boolean().default(true).describe('With photos') }),
    ['default-true at photos'],
  ],
  [
    'codes to choose from',
    four({ level: z.enum(['a', 'b']).describe('How bright') }),
    ['unexplained-choices at level'],
  ],
  [
    'a date of any form',
    four({ start_date: z.string().describe('When it begins') }),
    ['date-form at start_date'],
  ],
]

const names: readonly PlantedFault[] = [
  ['a digit first', [made({ name: '3d_lamps' })], ['name-start']],
  ['a name of the house', [made({ name: 'final_answer' })], ['reserved-name']],
  ['a name that models know', [made({ name: 'python' })], ['reserved-name']],
  ['one name twice', [made({}), made({})], ['duplicate-name']],
  [
    'names but for case',
    [made({}), made({ name: 'MoveLamps', description: 'Carries lights around in gardens.' })],
    ['confusable-names'],
  ],
  [
    'names but for order',
    [made({}), made({ name: 'lamps-move', description: 'Carries lights around in gardens.' })],
    ['confusable-names'],
  ],
]

const settings: readonly PlantedFault[] = [
  ['deleting as reading', [made({ name: 'delete_lamp', effects: 'read' })], ['changes-declared-read']],
  ['paying at once', [made({ name: 'pay_bill' })], ['approval-missing']],
  [
    'sending, by the description',
    [made({ description: 'Sends a lamp to another house by mail.' })],
    ['approval-missing'],
  ],
  [
    'pages of strangers',
    [made({ name: 'read_page', description: 'Opens a web page about lamps.' })],
    ['untrusted-output'],
  ],
  [
    'no function',
    [tool({ name: 'ask_owner', description: 'Asks the owner of the lamp.', parameters: z.object({ city }) })],
    ['no-execute'],
  ],
]

const lists: readonly PlantedFault[] = [
  [
    'descriptions that are alike',
    [
      made({}),
      made({ name: 'shift_lights', description: 'Moves the lamps of houses to where they are wanted now.' }),
    ],
    ['similar-tools'],
  ],
  [
    'the same parameters',
    [
      made({ parameters: z.object({ city, lamp: z.string().describe('Which') }) }),
      made({
        name: 'dim_lamps',
        description: 'Moves the lamps of a house where they shine best.',
        parameters: z.object({ city, lamp: z.string().describe('Which') }),
      }),
    ],
    ['copied-parameters'],
  ],
  [
    'a long list of words',
    [made({ parameters: z.object({ city: z.string().describe('Lamps and walls. '.repeat(300)) }) })],
    ['costly-tool'],
  ],
  ['21 tools', many(21), ['many-tools']],
  ['129 tools', many(129), ['many-tools', 'costly-list']],
]

export const plantedFaults: readonly PlantedFault[] = [
  ...lost,
  ...shape,
  ...words,
  ...names,
  ...settings,
  ...lists,
]
