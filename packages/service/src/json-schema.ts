import { resolveRef } from '@capstan/schema/resolve-ref'
import { allKeywords, findViolation, type Keyword } from '@capstan/schema/violations'
import { isRecord } from './json.js'

export type JsonSchema = Readonly<Record<string, unknown>>

/** A schema with resolved references and unions narrowed to their first branch that is not null. */
interface NarrowSchema {
  readonly schema: JsonSchema
  readonly nullable: boolean
}

/** Narrows a schema to one plain type. Resolves references in `root`; a circular reference becomes `{}`. */
export function narrow(schema: unknown, root: JsonSchema, depth = 0): NarrowSchema {
  if (!isRecord(schema) || depth > 8) return { schema: {}, nullable: false }
  if (typeof schema.$ref === 'string') {
    const { $ref, ...beside } = schema
    return narrow({ ...toRecord(resolveRef($ref, root)), ...beside }, root, depth + 1)
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

// Own properties only: a schema may contain one named "__proto__".
function merge(schemas: readonly unknown[]): JsonSchema {
  return Object.fromEntries(schemas.flatMap((schema) => Object.entries(toRecord(schema))))
}

function isNull(branch: unknown): boolean {
  return isRecord(branch) && (branch.type === 'null' || branch.const === null)
}

/** Whether a pattern is valid and fast: a repetition inside a repetition may need exponential time. */
export function isPlainPattern(pattern: unknown): boolean {
  if (typeof pattern !== 'string' || /[+*}][^()]*\)[+*{]/.test(pattern)) return false
  try {
    return new RegExp(pattern, 'u') !== undefined
  } catch {
    return false
  }
}

/** Returns the first violation of a schema with its path. Undefined if there is none. */
export function findSchemaViolation(value: unknown, schema: JsonSchema): string | undefined {
  const found = findViolation(value, schema, limits)
  if (!found) return undefined
  const at = found.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('')
  const { keyword = '', rule, value: part } = found
  return `the answer${at} ${texts[keyword]?.(rule, part) ?? 'is not allowed'}`
}

/** The supported keywords, each with a message about a value that does not match. */
const texts: Readonly<Record<string, (rule: unknown, value: unknown) => string>> = {
  $ref: () => 'has a schema that refers to itself',
  type: (rule) => `must be of type ${[rule].flat().join(' or ')}`,
  enum: (rule) => `must be one of ${JSON.stringify(rule)}`,
  const: (rule) => `must be ${JSON.stringify(rule)}`,
  minimum: (rule) => `must be at least ${rule}`,
  maximum: (rule) => `must be at most ${rule}`,
  exclusiveMinimum: (rule) => `must be more than ${rule}`,
  exclusiveMaximum: (rule) => `must be less than ${rule}`,
  multipleOf: (rule) => `must be a multiple of ${rule}`,
  minLength: (rule) => `must have at least ${rule} characters`,
  maxLength: (rule) => `must have at most ${rule} characters`,
  pattern: (rule) => `must match ${rule}`,
  minItems: (rule) => `must have at least ${rule} items`,
  maxItems: (rule) => `must have at most ${rule} items`,
  uniqueItems: () => 'must not repeat an item',
  required: (rule, value) =>
    `must have "${toList(rule).find((name) => !Object.hasOwn(Object(value), String(name)))}"`,
  oneOf: (rule) => `must match exactly one of ${toList(rule).length} schemas`,
}

/** Keywords that apply other schemas, whose own keywords report the problem. */
const applying = ['items', 'properties', 'additionalProperties', 'allOf', 'anyOf']

/** The supported keywords that this service interprets in its own way. */
const own: Readonly<Record<string, Keyword>> = {
  // A reference without a target says nothing.
  $ref: (value, rule, { root }) => [[value, resolveRef(rule, root) ?? true]],
  type: (value, rule, place) =>
    allKeywords.type?.(value, rule, place) || (value === null && place.schema.nullable === true),
  pattern: (value, rule) =>
    typeof value !== 'string' || (value.length <= 1000 && new RegExp(String(rule), 'u').test(value)),
  anyOf: (_, rule, { find }) => {
    const found = toList(rule).map(find)
    return found.includes(undefined) || (found[0] ?? true)
  },
}

const keywords = Object.fromEntries(
  Object.entries({ ...allKeywords, ...own }).filter(([keyword]) => isChecked(keyword)),
)

// A recursive reference can create more places than there is time to check.
const limits = { keywords, maxDepth: 60, maxParts: 20_000 }

/** Whether values are checked against a keyword. */
export function isChecked(keyword: string): boolean {
  return Object.hasOwn(texts, keyword) || applying.includes(keyword)
}

function toList(rule: unknown): readonly unknown[] {
  return Array.isArray(rule) ? rule : []
}
