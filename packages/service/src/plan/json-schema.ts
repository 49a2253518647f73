import { isRecord } from '../record.js'

/** A JSON Schema as it travels: nothing about it is certain. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** A schema with references followed and unions narrowed to their first branch that is not null. */
export interface NarrowSchema {
  readonly schema: JsonSchema
  readonly nullable: boolean
}

/** Narrows a schema to one plain form. References are looked up in `root`; a circular one ends as `{}`. */
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

// Own properties only: a schema may have one called "__proto__".
function merge(schemas: readonly unknown[]): JsonSchema {
  return Object.fromEntries(schemas.flatMap((schema) => Object.entries(toRecord(schema))))
}

function isNull(branch: unknown): boolean {
  return isRecord(branch) && (branch.type === 'null' || branch.const === null)
}

/** What a local reference such as `#/$defs/City` points at; nothing for one that leads nowhere. */
export function lookUpReference(reference: string, root: JsonSchema): unknown {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  const path = reference.slice(2).split('/')
  return path.reduce<unknown>(
    (at, key) => (isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined),
    root,
  )
}
