import { isRecord, listOf, partAt } from '@capstan/core/internal'

type Schema = Readonly<Record<string, unknown>>

/** A place in the JSON Schema that a model is shown. */
export interface SchemaPart {
  /** As `address.street`, `tags[]`, `pair[0]`, `labels.*`; empty for the root. */
  readonly path: string
  readonly schema: Schema
  /** The parameter's name, where it is one. */
  readonly name?: string
  /** Whether it may be left out. */
  readonly isOptional: boolean
  /** How many objects and lists it lies in. */
  readonly depth: number
  readonly parent?: SchemaPart
  /** What it refers to lies around it. */
  readonly isCircle?: boolean
}

/** How many places of one schema are looked at: also one of ten thousand parameters is done in no time. */
export const mostParts = 20_000

/** Every place of a schema, the outer ones first; references are followed, circles once. */
export function schemaParts(root: Schema): readonly SchemaPart[] {
  const found: SchemaPart[] = []
  const waiting: SchemaPart[] = [{ path: '', schema: root, isOptional: false, depth: 0 }]
  for (let part = waiting.pop(); part && found.length < mostParts; part = waiting.pop()) {
    found.push(part)
    for (const child of childrenOf(part, root).reverse()) waiting.push(child)
  }
  return found
}

function childrenOf(part: SchemaPart, root: Schema): SchemaPart[] {
  const { schema } = part
  if (part.isCircle) return []
  return [
    ...referred(part, root),
    ...fields(part),
    ...['anyOf', 'oneOf', 'allOf'].flatMap((keyword) =>
      listOf(schema[keyword]).map((one) => (isRecord(one) ? same(part, one) : undefined)),
    ),
    ...items(part),
    ...further(part),
  ].filter((child) => child !== undefined)
}

function referred(part: SchemaPart, root: Schema): SchemaPart[] {
  const { $ref } = part.schema
  if (typeof $ref !== 'string') return []
  const target = targetOf($ref, root)
  if (!isRecord(target)) return []
  return [{ ...same(part, target), isCircle: isAround(part, target) }]
}

function targetOf($ref: string, root: Schema): unknown {
  try {
    return partAt($ref, root)
  } catch {
    // A reference with a broken escape leads nowhere.
    return undefined
  }
}

function isAround(part: SchemaPart, target: Schema): boolean {
  for (let around: SchemaPart | undefined = part; around; around = around.parent)
    if (around.schema === target) return true
  return false
}

function fields(part: SchemaPart): SchemaPart[] {
  const { properties, required } = part.schema
  const needed = new Set(listOf(required))
  return Object.entries(isRecord(properties) ? properties : {}).map(([name, schema]) => ({
    ...below(part, isRecord(schema) ? schema : {}),
    path: toPath(part.path, name),
    name,
    isOptional: !needed.has(name),
  }))
}

function items(part: SchemaPart): (SchemaPart | undefined)[] {
  const { prefixItems, items } = part.schema
  const tuple = [prefixItems, items].find(Array.isArray) ?? []
  const each = isRecord(items) ? [{ ...below(part, items), path: `${part.path}[]` }] : []
  return [
    ...tuple.map((one: unknown, at) =>
      isRecord(one) ? { ...below(part, one), path: `${part.path}[${at}]` } : undefined,
    ),
    ...each,
  ]
}

function further(part: SchemaPart): SchemaPart[] {
  const { additionalProperties } = part.schema
  if (!isRecord(additionalProperties) || Object.keys(additionalProperties).length === 0) return []
  return [{ ...below(part, additionalProperties), path: toPath(part.path, '*') }]
}

function same(part: SchemaPart, schema: Schema): SchemaPart {
  return { path: part.path, schema, isOptional: false, depth: part.depth, parent: part }
}

function below(part: SchemaPart, schema: Schema): Omit<SchemaPart, 'path'> {
  return { schema, isOptional: false, depth: part.depth + 1, parent: part }
}

/** A field's place: names that are no plain words are quoted. */
export function toPath(path: string, name: string): string {
  if (!/^[\w$*-]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`
  return path === '' ? name : `${path}.${name}`
}
