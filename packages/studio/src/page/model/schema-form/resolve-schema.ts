// A schema without references and `allOf`: one that has a form, or the reason why it has none.

import { resolveRef } from '@capstan/schema/resolve-ref'

/** A JSON Schema, as a tool declares it. */
export type Schema = Readonly<Record<string, unknown>>

/** A schema that its own keywords fully describe, or the keyword for which there is no form. */
export type Resolved = { readonly schema: Schema } | { readonly reason: string }

/** Follows `$ref` and merges `allOf`, only at this level: parts are resolved when they are opened. */
export function resolveSchema(schema: unknown, root: unknown, seen: readonly unknown[] = []): Resolved {
  if (schema === true || schema === undefined) return { schema: {} }
  if (!isSchema(schema)) return { reason: 'no value fits it' }
  if (seen.includes(schema)) return { reason: 'it refers to itself' }
  const { $ref, allOf, ...own } = schema
  const inner: unknown[] = Array.isArray(allOf) ? allOf : []
  if ($ref !== undefined) {
    const target = resolveRef($ref, root)
    if (target === undefined) return { reason: `"$ref" ${JSON.stringify($ref)} names nothing` }
    inner.unshift(target)
  }
  // What stands next to a reference, such as its description, is about this place: it is joined last.
  const parts = [...inner.map((part) => resolveSchema(part, root, [...seen, schema])), { schema: own }]
  return parts.reduce<Resolved>(
    (all, part) => ('reason' in all ? all : 'reason' in part ? part : mergeSchemas(all.schema, part.schema)),
    { schema: {} },
  )
}

/** Merges two schemas that a value must match. */
export function mergeSchemas(one: Schema, other: Schema): Resolved {
  const merged = new Map(Object.entries(one))
  for (const [keyword, rule] of Object.entries(other)) {
    const before = merged.get(keyword)
    const joined = before === undefined ? rule : mergeRule(keyword, before, rule)
    if (joined === undefined) return { reason: `"allOf" with two rules "${keyword}"` }
    merged.set(keyword, joined)
  }
  return { schema: Object.fromEntries(merged) }
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const annotations = ['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly']
const identity = ['$schema', '$id', '$defs', 'definitions', '$comment', '$anchor']

/** Returns a rule that satisfies both. Undefined if a form cannot represent one. */
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

/** Returns the types that both allow. Undefined if there are none. An integer is also a number. */
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
