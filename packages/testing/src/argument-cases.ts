import { jsonSchema } from '@capstan/core'
import { isRecord } from '@capstan/core/internal'
import { resolveRef } from '@capstan/schema/resolve-ref'
import { exampleOf, exampleString } from './example.js'
import { fits } from './fits-schema.js'

/** How a case relates to the schema. A `boundary` case is valid, and at one of the schema's limits. */
export type CaseKind = 'valid' | 'boundary' | 'invalid'

/** Arguments for a tool call, and what they test. */
export interface ArgumentCase {
  readonly kind: CaseKind
  readonly arguments: unknown
  /** What is special about the arguments, such as `city: the shortest text`. */
  readonly about: string
}

/**
 * Generates a variety of arguments from a schema. Validates each case against the schema to determine its kind. If no
 * valid arguments can be guessed, `given` must contain some.
 */
export function argumentCases(schema: Schema, given: readonly object[] = []): ArgumentCase[] {
  const parameters = jsonSchema(schema)
  const fits = (value: unknown) => isValidArguments(parameters, value)
  const known = new Set<string>()
  const isNew = ({ arguments: args }: ArgumentCase) => {
    const text = JSON.stringify(args)
    return !known.has(text) && Boolean(known.add(text))
  }
  const bases = [
    ...given.map((one): Candidate => ['an example', one]),
    ['what is required', exampleOf(schema)] as const,
    ['all fields', fullExample(schema)] as const,
  ].filter(([, value]) => value !== undefined && fits(value))
  const all = [
    ...bases.map(([about, value]): ArgumentCase => ({ kind: 'valid', arguments: value, about })),
    ...bases.flatMap(([, base]) =>
      valueNodes(base, schema).flatMap((place) => casesAt(place, { base, root: schema })),
    ),
    ...nonObjects.map(([about, value]): ArgumentCase => ({ kind: 'invalid', arguments: value, about })),
  ]
  return all.filter((one) => fits(one.arguments) === (one.kind !== 'invalid')).filter(isNew)
}

/** Arguments that no tool may accept, because they are not objects. */
const nonObjects: readonly Candidate[] = [
  ['a list instead of an object', []],
  ['a number instead of an object', 42],
]

function isValidArguments(parameters: ReturnType<typeof jsonSchema>, value: unknown): boolean {
  const outcome = parameters['~standard'].validate(value)
  return isRecord(value) && !(outcome instanceof Promise) && outcome.issues === undefined
}

/**
 * Returns an example that includes the optional fields. For a recursive schema, includes only the optional fields of
 * the top level.
 */
function fullExample(schema: Schema): unknown {
  const top = isRecord(schema.properties) ? Object.keys(schema.properties) : []
  return exampleOf(withAllRequired(schema)) ?? exampleOf({ ...schema, required: top })
}

function withAllRequired(schema: Schema): Schema {
  const required = isRecord(schema.properties) ? { required: Object.keys(schema.properties) } : {}
  // An empty default list has no items to vary.
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

interface CaseContext {
  readonly base: unknown
  readonly root: Schema
}

function casesAt({ path, value, schema, choices }: ValueNode, { base, root }: CaseContext): ArgumentCase[] {
  const name = path.join('.')
  const toCases = (kind: CaseKind, candidates: readonly Candidate[]) =>
    candidates.map(([about, part]): ArgumentCase => {
      return { kind, arguments: setAt(base, path, part), about: `${name}: ${about}` }
    })
  const fields = isRecord(value) ? Object.keys(value) : []
  const without = (kind: CaseKind) =>
    fields.map((field): ArgumentCase => {
      const inner = [...path, field]
      return { kind, arguments: setAt(base, inner, undefined), about: `${inner.join('.')}: left out` }
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
    ...toCases('valid', isWhole ? [] : validValues(schema)),
    ...toCases('boundary', isWhole ? [] : boundaryValues(schema, value)),
    ...without('boundary'),
    ...without('invalid'),
    ...toCases('invalid', isWhole ? [] : invalidValues(schema, value)),
    ...toCases('invalid', more),
  ]
}

/** A value to put at one position, and its description. */
type Candidate = readonly [about: string, value: unknown]

/** Returns ordinary values of the schema's type. They may still violate the schema. */
function validValues({ type, enum: members }: Schema): Candidate[] {
  if (Array.isArray(members)) return members.map((member) => ['one of the list', member])
  const types = [type].flat()
  return [
    ...(types.includes('boolean') ? [true, false] : []).map((value): Candidate => [String(value), value]),
    ...(types.includes('string') ? ['another text', 'Zoë said "hi" 😀'] : []).map(
      (value): Candidate => ['another text', value],
    ),
    ...(types.includes('integer') || types.includes('number') ? [2, 3, 7, 12, 40] : []).map(
      (value): Candidate => ['another number', value],
    ),
  ]
}

/** Returns values at the schema's limits. They may still violate the schema. */
function boundaryValues(schema: Schema, value: unknown): Candidate[] {
  const types = [schema.type].flat()
  return [
    ...(types.includes('null') ? [['null', null] as const] : []),
    ...(types.includes('string') ? textBoundaries(schema) : []),
    ...(types.includes('number') || types.includes('integer') ? numberBoundaries(schema) : []),
    ...(types.includes('array') && Array.isArray(value) ? listBoundaries(schema, value) : []),
  ]
}

/** Returns values just beyond the schema's limits, and values of the wrong type. */
function invalidValues(schema: Schema, value: unknown): Candidate[] {
  const types = [schema.type].flat()
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength } = schema
  return [
    ['null', null],
    ['a text that reads as nothing else', '[no'],
    ['a number', 42.5],
    ['a list', [[]]],
    ['an object', { no: 'such' }],
    ...numbers([minimum], (bound) => [`less than ${bound}`, bound - 1]),
    ...numbers([maximum], (bound) => [`more than ${bound}`, bound + 1]),
    ...numbers([exclusiveMinimum, exclusiveMaximum], (bound) => [`just ${bound}`, bound]),
    ...numbers([minLength], (bound) => [`shorter than ${bound}`, 'a'.repeat(Math.max(0, bound - 1))]),
    ...numbers([maxLength], (bound) => [`longer than ${bound}`, 'a'.repeat(Math.min(bound, maxLetters) + 1)]),
    ...(types.includes('string') ? [['no such text', '¿?'] as const] : []),
    ...(Array.isArray(value) ? invalidLists(schema, value) : []),
  ]
}

const maxLetters = 10_000
const maxItems = 100

function textBoundaries({ minLength, maxLength, format }: Schema): Candidate[] {
  const unbounded: Candidate[] = [
    ['a long text', 'long '.repeat(200)],
    ['a text of several lines', 'one\ntwo\t"three" \\ é 😀'],
  ]
  return [
    ['the shortest text', 'a'.repeat(Math.min(Number(minLength ?? 0), maxLetters))],
    ...(typeof maxLength === 'number'
      ? [['the longest text', 'a'.repeat(Math.min(maxLength, maxLetters))] as const]
      : unbounded),
    ...(typeof format === 'string'
      ? [[`a ${format}`, exampleString({ type: 'string', format })] as const]
      : []),
  ]
}

function numberBoundaries({
  type,
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
  multipleOf,
}: Schema): Candidate[] {
  const least = [type].flat().includes('number') ? 0.5 : 1
  const step = typeof multipleOf === 'number' ? multipleOf : least
  const onStep = (value: number) => Number((value * step).toPrecision(12))
  return [
    ['zero', 0],
    ['minus one', -1],
    ...numbers([minimum], (low) => ['the lowest number', low]),
    ...numbers([minimum], (low) => ['the lowest step', onStep(Math.ceil(low / step))]),
    ...numbers([exclusiveMinimum], (low) => ['the lowest step', onStep(Math.floor(low / step) + 1)]),
    ...numbers([maximum], (high) => ['the highest number', high]),
    ...numbers([maximum], (high) => ['the highest step', onStep(Math.floor(high / step))]),
    ...numbers([exclusiveMaximum], (high) => ['the highest step', onStep(Math.ceil(high / step) - 1)]),
  ]
}

function listBoundaries({ minItems, maxItems }: Schema, value: readonly unknown[]): Candidate[] {
  const few = Number(minItems ?? 0)
  return [
    ['the shortest list', ofLength(value, few)],
    ...(typeof maxItems === 'number' ? [['the longest list', ofLength(value, maxItems)] as const] : []),
  ]
}

function invalidLists({ minItems, maxItems, uniqueItems }: Schema, value: readonly unknown[]): Candidate[] {
  return [
    ...numbers([minItems], (few) => [`fewer than ${few}`, ofLength(value, few - 1)]),
    ...numbers([maxItems], (many) => [`more than ${many}`, ofLength(value, many + 1)]),
    ...(uniqueItems === true && value.length > 0 ? [['one twice', [...value, value[0]]] as const] : []),
  ]
}

/** Returns an array of this length, by shortening the given one or repeating its last item. */
function ofLength(list: readonly unknown[], length: number): unknown[] {
  const count = Math.max(0, Math.min(length, maxItems))
  return Array.from({ length: count }, (_, at) => list[Math.min(at, list.length - 1)] ?? null)
}

/** Creates candidates from numeric limits. Skips limits that only describe what JavaScript can represent. */
function numbers(bounds: readonly unknown[], make: (bound: number) => Candidate): Candidate[] {
  return bounds
    .filter(
      (bound): bound is number => typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER,
    )
    .map(make)
}

type Schema = Readonly<Record<string, unknown>>

type Path = readonly (string | number)[]

/** A position in a value, with the schema that applies there. */
interface ValueNode {
  readonly path: Path
  readonly value: unknown
  /**
   * The schema that applies at this position, with references, `allOf` and the alternative that the value matches
   * merged into it.
   */
  readonly schema: Schema
  /** The alternatives in `anyOf` or `oneOf`. Empty if there are none. */
  readonly choices: readonly unknown[]
}

/** Returns every position in a value, starting with the value itself. The value must match the schema. */
function valueNodes(value: unknown, schema: Schema): ValueNode[] {
  return nodesIn({ path: [], value, schema }, schema)
}

function nodesIn(place: Omit<ValueNode, 'choices'>, root: Schema): ValueNode[] {
  const schema = resolveSchema(place.schema, place.value, { root, depth: 0 })
  const { path, value } = place
  const inner = (key: string | number, part: unknown, of: unknown) =>
    nodesIn({ path: [...path, key], value: part, schema: isRecord(of) ? of : {} }, root)
  const parts = Array.isArray(value)
    ? value.flatMap((item, at) => inner(at, item, itemSchema(schema, at)))
    : isRecord(value)
      ? Object.entries(value).flatMap(([key, part]) => inner(key, part, propertySchema(schema, key)))
      : []
  return [{ path, value, schema, choices: choicesOf(resolveReference(place.schema, root)) }, ...parts]
}

function propertySchema({ properties, additionalProperties }: Schema, key: string): unknown {
  return isRecord(properties) && Object.hasOwn(properties, key) ? properties[key] : additionalProperties
}

function itemSchema({ prefixItems, items }: Schema, at: number): unknown {
  const tuple: readonly unknown[] = [prefixItems, items].find(Array.isArray) ?? []
  return tuple[at] ?? items
}

interface Depth {
  readonly root: Schema
  readonly depth: number
}

/** Maximum number of nested references to follow, because a schema may be recursive. */
const maxDepth = 12

function resolveSchema(schema: Schema, value: unknown, { root, depth }: Depth): Schema {
  if (depth > maxDepth) return schema
  const { $ref, allOf, anyOf, oneOf, ...own } = schema
  const chosen = choicesOf({ anyOf, oneOf }).find((choice) => fits(value, choice, root))
  const parts = [
    ...(typeof $ref === 'string' ? [resolveRef($ref, root)] : []),
    ...(Array.isArray(allOf) ? allOf : []),
    ...(chosen === undefined ? [] : [chosen]),
  ]
  const deeper = { root, depth: depth + 1 }
  return parts
    .filter(isRecord)
    .reduce((all, part) => mergeSchemas(all, resolveSchema(part, value, deeper)), own)
}

function choicesOf({ anyOf, oneOf }: Schema): readonly unknown[] {
  return [anyOf, oneOf].find(Array.isArray) ?? []
}

function resolveReference(schema: Schema, root: Schema): Schema {
  const part = typeof schema.$ref === 'string' ? resolveRef(schema.$ref, root) : undefined
  return isRecord(part) ? { ...schema, ...part } : schema
}

function mergeSchemas(one: Schema, other: Schema): Schema {
  const both = { ...one, ...other }
  return {
    ...both,
    ...(isRecord(both.properties) ? { properties: { ...Object(one.properties), ...both.properties } } : {}),
    ...(Array.isArray(both.required) ? { required: [...[one.required].flat(), ...both.required] } : {}),
  }
}

/**
 * Returns a copy of a value with the part at a path replaced. If `part` is undefined, removes the field at the path.
 */
function setAt(value: unknown, path: Path, part: unknown): unknown {
  const [key, ...inner] = path
  if (key === undefined) return part
  if (Array.isArray(value)) return value.map((item, at) => (at === key ? setAt(item, inner, part) : item))
  if (!isRecord(value)) return value
  const entries = Object.entries(value).filter(
    ([name]) => name !== key || inner.length > 0 || part !== undefined,
  )
  const put = entries.map(([name, old]) => [name, name === key ? setAt(old, inner, part) : old])
  const isNew = inner.length === 0 && part !== undefined && !Object.hasOwn(value, key)
  return Object.fromEntries(isNew ? [...put, [key, part]] : put)
}

/**
 * Returns a function that generates numbers from 0 (inclusive) to 1 (exclusive). The same seed and name generate the
 * same numbers.
 */
export function seededRandom(seed: number, name: string): () => number {
  let state = [...name].reduce(
    (sum, letter) => Math.imul(sum ^ (letter.codePointAt(0) ?? 0), 0x01000193),
    seed,
  )
  // This is Mulberry32, which is small, fast, and uniform enough for choices.
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Returns the items in random order, without changing the array. */
export function shuffle<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item)
}
