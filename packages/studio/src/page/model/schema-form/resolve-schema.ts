// Replaces `$ref` and `allOf` in a schema, so that a form can be created from the schema's keywords.

import { resolveRef } from '@capstan/schema/resolve-ref'

/** A JSON Schema object. */
export type Schema = Readonly<Record<string, unknown>>

/** A schema without `$ref` and `allOf`, or the reason why no form can be created for it. */
export type Resolved = { readonly schema: Schema } | { readonly reason: string }

/**
 * Follows `$ref` and merges `allOf`, but only at the top level of the schema. Inner schemas are resolved when needed.
 */
export function resolveSchema(schema: unknown, root: unknown, seen: readonly unknown[] = []): Resolved {
  if (schema === true || schema === undefined) return { schema: {} }
  if (!isSchema(schema)) return { reason: 'no value is valid' }
  if (seen.includes(schema)) return { reason: 'it refers to itself' }
  const { $ref, allOf, ...own } = schema
  const inner: unknown[] = Array.isArray(allOf) ? allOf : []
  if ($ref !== undefined) {
    const target = resolveRef($ref, root)
    if (target === undefined) return { reason: `"$ref" ${JSON.stringify($ref)} has no target` }
    inner.unshift(target)
  }
  // Keywords next to a reference, such as a description, are about this use of it. They are merged last, so that they
  // take precedence.
  const parts = [...inner.map((part) => resolveSchema(part, root, [...seen, schema])), { schema: own }]
  return parts.reduce<Resolved>(
    (all, part) => ('reason' in all ? all : 'reason' in part ? part : mergeSchemas(all.schema, part.schema)),
    { schema: {} },
  )
}

/** Returns a schema for the values that match both schemas, or a `reason` if the keywords cannot be combined. */
export function mergeSchemas(one: Schema, other: Schema): Resolved {
  const merged = new Map(Object.entries(one))
  for (const [keyword, rule] of Object.entries(other)) {
    const before = merged.get(keyword)
    const joined = before === undefined ? rule : mergeRule(keyword, before, rule)
    if (joined === undefined) return { reason: `"allOf" with two values for "${keyword}"` }
    merged.set(keyword, joined)
  }
  return { schema: Object.fromEntries(merged) }
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const annotations = ['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly']
const identity = ['$schema', '$id', '$defs', 'definitions', '$comment', '$anchor']

/** Combines two values of a keyword so that both apply. Undefined if no form can represent the result. */
function mergeRule(keyword: string, one: unknown, other: unknown): unknown {
  if (annotations.includes(keyword) || identity.includes(keyword)) return other
  if (keyword === 'properties' && isSchema(one) && isSchema(other)) return mergeProperties(one, other)
  if (keyword === 'required') return [...new Set([...listOf(one), ...listOf(other)])]
  if (keyword === 'type') return mergeTypes(listOf(one), listOf(other))
  if (keyword === 'enum')
    return listOf(one).filter((value) => listOf(other).some((also) => isSame(value, also)))
  if (keyword === 'items' || keyword === 'additionalProperties') {
    return one === false || other === false ? false : isSame(one, other) ? one : { allOf: [one, other] }
  }
  if (typeof one === 'number' && typeof other === 'number') {
    if (/^min|Minimum$/.test(keyword)) return Math.max(one, other)
    if (/^max|Maximum$/.test(keyword)) return Math.min(one, other)
  }
  return isSame(one, other) ? one : undefined
}

function mergeProperties(one: Schema, other: Schema): Schema {
  const merged = new Map(Object.entries(one))
  for (const [name, schema] of Object.entries(other)) {
    merged.set(name, merged.has(name) ? { allOf: [merged.get(name), schema] } : schema)
  }
  return Object.fromEntries(merged)
}

/** Returns the types that both arrays allow. An integer is also a number. Undefined if there are none. */
function mergeTypes(one: readonly unknown[], other: readonly unknown[]): unknown {
  const both = [...one, ...other].filter((type) => [one, other].every((types) => includesType(types, type)))
  const types = [...new Set(both)]
  return types.length === 1 ? types[0] : types.length === 0 ? undefined : types
}

function includesType(types: readonly unknown[], type: unknown): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'))
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value]
}
