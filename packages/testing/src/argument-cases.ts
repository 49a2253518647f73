import { jsonSchema } from '@capstan/core'
import { exampleOf, isRecord } from '@capstan/core/internal'
import { type Candidate, edgeValues, usualValues, wrongValues } from './other-values.js'
import { putAt } from './put-at.js'
import { type Schema, type ValuePlace, valuePlaces } from './value-places.js'

export type CaseKind = 'valid' | 'boundary' | 'invalid'

/** Arguments to call a tool with. */
export interface ArgumentCase {
  readonly kind: CaseKind
  readonly arguments: unknown
  /** What they are: `city: the shortest text`. */
  readonly about: string
}

/**
 * Arguments made from a schema, each once: plain ones, ones at its edges, and ones that do not fit. What is said of them
 * is checked against the schema. There are no valid ones where none can be guessed: give some.
 */
export function argumentCases(schema: Schema, given: readonly object[] = []): ArgumentCase[] {
  const parameters = jsonSchema(schema)
  const fits = (value: unknown) => isFitting(parameters, value)
  const known = new Set<string>()
  const isNew = ({ arguments: args }: ArgumentCase) => {
    const text = JSON.stringify(args)
    return !known.has(text) && Boolean(known.add(text))
  }
  const bases = [
    ...given.map((one): Candidate => ['an example', one]),
    ['what is required', exampleOf(schema)] as const,
    ['all fields', wholeExample(schema)] as const,
  ].filter(([, value]) => value !== undefined && fits(value))
  const all = [
    ...bases.map(([about, value]): ArgumentCase => ({ kind: 'valid', arguments: value, about })),
    ...bases.flatMap(([, base]) =>
      valuePlaces(base, schema).flatMap((place) => casesAt(place, { base, root: schema })),
    ),
    ...notArguments.map(([about, value]): ArgumentCase => ({ kind: 'invalid', arguments: value, about })),
  ]
  return all.filter((one) => fits(one.arguments) === (one.kind !== 'invalid')).filter(isNew)
}

/** What stands in place of an object: what nobody reads as one. */
const notArguments: readonly Candidate[] = [
  ['a list in place of an object', []],
  ['a number in place of an object', 42],
]

function isFitting(parameters: ReturnType<typeof jsonSchema>, value: unknown): boolean {
  const outcome = parameters['~standard'].validate(value)
  return isRecord(value) && !(outcome instanceof Promise) && outcome.issues === undefined
}

/** An example with the fields that may be left out; of a schema that holds itself, with those at its top. */
function wholeExample(schema: Schema): unknown {
  const top = isRecord(schema.properties) ? Object.keys(schema.properties) : []
  return exampleOf(withAllRequired(schema)) ?? exampleOf({ ...schema, required: top })
}

function withAllRequired(schema: Schema): Schema {
  const required = isRecord(schema.properties) ? { required: Object.keys(schema.properties) } : {}
  // An empty list shows nothing of its items.
  const { default: usual, ...rules } = schema
  const kept = Array.isArray(usual) && usual.length === 0 ? rules : schema
  return { ...kept, ...required, ...innerSchemas(schema) }
}

function innerSchemas(schema: Schema): Schema {
  const inner = (part: unknown): unknown =>
    Array.isArray(part) ? part.map(inner) : isRecord(part) ? withAllRequired(part) : part
  const named = ['properties', '$defs', 'definitions'].flatMap((keyword) => {
    const parts = schema[keyword]
    return isRecord(parts)
      ? [[keyword, Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, inner(part)]))]]
      : []
  })
  const others = ['items', 'prefixItems', 'allOf', 'anyOf', 'oneOf', 'additionalProperties']
    .filter((keyword) => keyword in schema)
    .map((keyword) => [keyword, inner(schema[keyword])])
  return Object.fromEntries([...named, ...others])
}

interface Whole {
  readonly base: unknown
  readonly root: Schema
}

function casesAt({ path, value, schema, choices }: ValuePlace, { base, root }: Whole): ArgumentCase[] {
  const name = path.join('.')
  const toCases = (kind: CaseKind, candidates: readonly Candidate[]) =>
    candidates.map(([about, part]): ArgumentCase => {
      return { kind, arguments: putAt(base, path, part), about: `${name}: ${about}` }
    })
  const fields = isRecord(value) ? Object.keys(value) : []
  const without = (kind: CaseKind) =>
    fields.map((field): ArgumentCase => {
      const inner = [...path, field]
      return { kind, arguments: putAt(base, inner, undefined), about: `${inner.join('.')}: left out` }
    })
  const more = isRecord(value) ? [['a field more', { ...value, no_such_field: 1 }] as const] : []
  const { $defs, definitions } = root
  const others = choices.map((choice): Candidate => {
    return ['another choice', exampleOf({ $defs, definitions, allOf: [choice] })]
  })
  const isWhole = path.length === 0
  return [
    ...toCases(
      'valid',
      others.filter(([, part]) => part !== undefined),
    ),
    ...toCases('valid', isWhole ? [] : usualValues(schema)),
    ...toCases('boundary', isWhole ? [] : edgeValues(schema, value)),
    ...without('boundary'),
    ...without('invalid'),
    ...toCases('invalid', isWhole ? [] : wrongValues(schema, value)),
    ...toCases('invalid', more),
  ]
}
