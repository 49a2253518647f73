import { isRecord } from '../json.js'

/** An unvalidated JSON Schema of a request. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** A schema with resolved references and unions narrowed to their first branch that is not null. */
interface NarrowSchema {
  readonly schema: JsonSchema
  readonly nullable: boolean
}

/** Narrows a schema to one plain type. Resolves references in `root`; a circular one becomes `{}`. */
export function narrow(schema: unknown, root: JsonSchema, depth = 0): NarrowSchema {
  if (!isRecord(schema) || depth > 8) return { schema: {}, nullable: false }
  if (typeof schema.$ref === 'string') {
    const { $ref, ...beside } = schema
    return narrow({ ...toRecord(lookUpReference($ref as string, root)), ...beside }, root, depth + 1)
  }
  if (Array.isArray(schema.allOf)) {
    const { allOf: _, ...beside } = schema
    return narrow(merge([...schema.allOf, beside]), root, depth + 1)
  }
  const union = schema.anyOf ?? schema.oneOf
  if (Array.isArray(union)) {
    const { anyOf: _, oneOf: __, ...beside } = schema
    const inner = narrow({ ...toRecord(union.find((branch) => !isNull(branch))), ...beside }, root, depth + 1)
    return { schema: inner.schema, nullable: inner.nullable || union.some(isNull) }
  }
  if (Array.isArray(schema.type)) {
    const type = schema.type.find((name) => name !== 'null')
    return { schema: { ...schema, type }, nullable: schema.type.includes('null') }
  }
  return { schema, nullable: schema.nullable === true }
}

function toRecord(value: unknown): JsonSchema {
  return isRecord(value) ? value : {}
}

// Own properties only: a schema may have one named "__proto__".
function merge(schemas: readonly unknown[]): JsonSchema {
  return Object.fromEntries(schemas.flatMap((schema) => Object.entries(toRecord(schema))))
}

function isNull(branch: unknown): boolean {
  return isRecord(branch) && (branch.type === 'null' || branch.const === null)
}

/** Resolves a local reference such as `#/$defs/City`. Returns undefined for a broken one. */
function lookUpReference(reference: string, root: JsonSchema): unknown {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  const path = reference.slice(2).split('/')
  return path.reduce<unknown>(
    (at, key) => (isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined),
    root,
  )
}

/** Returns a keyword that these checks do not support, or undefined. */
export function findUnsupportedKeyword(schema: unknown, depth = 0): string | undefined {
  if (!isRecord(schema)) return undefined
  if (depth > 30) return 'more than 30 levels'
  for (const [keyword, inner] of Object.entries(schema)) {
    if (!isChecked(keyword) && !silent.has(keyword)) return keyword
    if (keyword === 'pattern' && !isPlainPattern(inner)) return 'pattern'
    const isMap = keyword === 'properties' || keyword === '$defs' || keyword === 'definitions'
    const parts = isMap && isRecord(inner) ? Object.values(inner) : Array.isArray(inner) ? inner : [inner]
    const holdsSchemas = isMap || schemaKeywords.has(keyword)
    const found = holdsSchemas
      ? parts.map((part) => findUnsupportedKeyword(part, depth + 1)).find(Boolean)
      : undefined
    if (found !== undefined) return found
  }
  return undefined
}

const schemaKeywords = new Set(['items', 'additionalProperties', 'anyOf', 'oneOf', 'allOf'])
const silent = new Set(
  '$ref $schema $id $defs definitions $comment title description default examples format deprecated readOnly writeOnly nullable'.split(
    ' ',
  ),
)

/** Whether a pattern is valid and fast: a repetition inside a repetition may need exponential time. */
export function isPlainPattern(pattern: unknown): boolean {
  if (typeof pattern !== 'string' || /[+*}][^()]*\)[+*{]/.test(pattern)) return false
  try {
    return new RegExp(pattern, 'u') !== undefined
  } catch {
    return false
  }
}

/** Returns the first violation of a schema with its path, or undefined. */
export function findSchemaViolation(value: unknown, schema: JsonSchema): string | undefined {
  return findViolation(value, schema, {
    root: schema,
    at: 'the answer',
    depth: 0,
    budget: { left: mostPlaces },
  })
}

/** The supported keywords. */
function isChecked(keyword: string): boolean {
  return Object.hasOwn(checks, keyword)
}

// A recursive reference can create more places than there is time to check.
const deepest = 60
const mostPlaces = 20_000

function findViolation(
  value: unknown,
  schema: unknown,
  { root, at, depth, budget }: Omit<Place, 'schema'>,
): string | undefined {
  if (schema === false) return `${at} is not allowed`
  if (!isRecord(schema)) return undefined
  budget.left -= 1
  if (depth > deepest || budget.left < 0) return `${at} has a schema that refers to itself`
  const place = { schema, root, at, depth: depth + 1, budget }
  if (typeof schema.$ref === 'string') {
    const flaw = findViolation(value, lookUpReference(schema.$ref, root), place)
    if (flaw !== undefined) return flaw
  }
  for (const [keyword, check] of Object.entries(checks)) {
    const flaw = Object.hasOwn(schema, keyword) ? check(value, schema[keyword], place) : undefined
    if (flaw !== undefined) return flaw
  }
  return undefined
}

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: Array.isArray,
  object: isRecord,
}

/** Returns a violation unless the value fits. */
const unless = (fits: boolean, flaw: string) => (fits ? undefined : flaw)

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

const size = (value: unknown) =>
  typeof value === 'string' ? [...value].length : Array.isArray(value) ? value.length : 0

/** Keywords that check a value without its children. */
const valueChecks: Readonly<Record<string, Check>> = {
  type: (value, rule, { schema, at }) => {
    const names: unknown[] = Array.isArray(rule) ? rule : [rule]
    const fits =
      names.some((name) => isOfType(String(name), value)) || (value === null && schema.nullable === true)
    return unless(fits, `${at} must be of type ${names.join(' or ')}`)
  },
  enum: (value, rule, { at }) =>
    unless(
      Array.isArray(rule) && rule.some((one) => same(one, value)),
      `${at} must be one of ${JSON.stringify(rule)}`,
    ),
  const: (value, rule, { at }) => unless(same(value, rule), `${at} must be ${JSON.stringify(rule)}`),
  minimum: (value, rule, { at }) => unless(!(Number(value) < Number(rule)), `${at} must be at least ${rule}`),
  maximum: (value, rule, { at }) => unless(!(Number(value) > Number(rule)), `${at} must be at most ${rule}`),
  exclusiveMinimum: (value, rule, { at }) =>
    unless(!(Number(value) <= Number(rule)), `${at} must be more than ${rule}`),
  exclusiveMaximum: (value, rule, { at }) =>
    unless(!(Number(value) >= Number(rule)), `${at} must be less than ${rule}`),
  multipleOf: (value, rule, { at }) =>
    unless(
      typeof value !== 'number' || Number.isInteger(value / Number(rule)),
      `${at} must be a multiple of ${rule}`,
    ),
  minLength: (value, rule, { at }) =>
    unless(
      typeof value !== 'string' || size(value) >= Number(rule),
      `${at} must have at least ${rule} characters`,
    ),
  maxLength: (value, rule, { at }) =>
    unless(
      typeof value !== 'string' || size(value) <= Number(rule),
      `${at} must have at most ${rule} characters`,
    ),
  pattern: (value, rule, { at }) =>
    unless(typeof value !== 'string' || matches(value, rule), `${at} must match ${rule}`),
  minItems: (value, rule, { at }) =>
    unless(!Array.isArray(value) || size(value) >= Number(rule), `${at} must have at least ${rule} items`),
  maxItems: (value, rule, { at }) =>
    unless(!Array.isArray(value) || size(value) <= Number(rule), `${at} must have at most ${rule} items`),
  uniqueItems: (value, rule, { at }) => {
    const texts = rule === true && Array.isArray(value) ? value.map((one) => JSON.stringify(one)) : []
    return unless(new Set(texts).size === texts.length, `${at} must not repeat an item`)
  },
  required: (value, rule, { at }) => {
    const lacking =
      isRecord(value) && Array.isArray(rule)
        ? rule.find((name) => !Object.hasOwn(value, String(name)))
        : undefined
    return unless(lacking === undefined, `${at} must have "${lacking}"`)
  },
}

const checks: Readonly<Record<string, Check>> = {
  ...valueChecks,
  items: (value, rule, place) =>
    Array.isArray(value)
      ? value
          .map((one, index) => findViolation(one, rule, { ...place, at: `${place.at}[${index}]` }))
          .find(Boolean)
      : undefined,
  properties: (value, rule, place) =>
    isRecord(value) && isRecord(rule)
      ? Object.entries(value)
          .filter(([name]) => Object.hasOwn(rule, name))
          .map(([name, one]) => findViolation(one, rule[name], { ...place, at: `${place.at}.${name}` }))
          .find(Boolean)
      : undefined,
  additionalProperties: (value, rule, place) =>
    isRecord(value)
      ? Object.entries(value)
          .filter(
            ([name]) => !isRecord(place.schema.properties) || !Object.hasOwn(place.schema.properties, name),
          )
          .map(([name, one]) => findViolation(one, rule, { ...place, at: `${place.at}.${name}` }))
          .find(Boolean)
      : undefined,
  allOf: (value, rule, place) =>
    toList(rule)
      .map((one) => findViolation(value, one, place))
      .find(Boolean),
  anyOf: (value, rule, place) => {
    const flaws = toList(rule).map((one) => findViolation(value, one, place))
    return flaws.includes(undefined) ? undefined : flaws[0]
  },
  oneOf: (value, rule, place) => {
    const fitting = toList(rule).filter((one) => findViolation(value, one, place) === undefined)
    return unless(
      fitting.length === 1,
      `${place.at} must match exactly one of ${toList(rule).length} schemas`,
    )
  },
}

function toList(rule: unknown): unknown[] {
  return Array.isArray(rule) ? rule : []
}

/** The place of a checked value. */
interface Place {
  readonly schema: JsonSchema
  readonly root: JsonSchema
  readonly at: string
  readonly depth: number
  /** The number of places that may still be checked. */
  readonly budget: { left: number }
}

/** Checks a value by one keyword. Returns the violation, or undefined. */
type Check = (value: unknown, rule: unknown, place: Place) => string | undefined

function isOfType(name: string, value: unknown): boolean {
  return Object.hasOwn(types, name) && types[name]?.(value) === true
}

function matches(value: string, pattern: unknown): boolean {
  return value.length <= 1000 && new RegExp(String(pattern), 'u').test(value)
}
