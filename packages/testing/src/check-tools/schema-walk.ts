import { isRecord, listOf } from '@capstan/core/internal'
import { resolveRef } from '@capstan/schema/resolve-ref'

type Schema = Readonly<Record<string, unknown>>

/** A node of the JSON Schema that the model sees. */
export interface SchemaNode {
  /** The path, such as `address.street`, `tags[]`, `pair[0]` or `labels.*`. Empty for the root. */
  readonly path: string
  readonly schema: Schema
  /** The parameter's name. Absent if the node is not a named property. */
  readonly name?: string
  /** Whether the node is a property that is not in `required`. */
  readonly isOptional: boolean
  /** How many objects and arrays contain the node. */
  readonly depth: number
  readonly parent?: SchemaNode
  /** Whether the node refers to one of its ancestors. */
  readonly isCircle?: boolean
}

/** Maximum number of nodes to check in one schema. A schema with ten thousand parameters is still checked quickly. */
export const maxNodes = 20_000

/** Returns all nodes of a schema, outer nodes first. Follows references, but follows a recursive one only once. */
export function schemaNodes(root: Schema): readonly SchemaNode[] {
  const found: SchemaNode[] = []
  const waiting: SchemaNode[] = [{ path: '', schema: root, isOptional: false, depth: 0 }]
  for (let part = waiting.pop(); part && found.length < maxNodes; part = waiting.pop()) {
    found.push(part)
    for (const child of childrenOf(part, root).reverse()) waiting.push(child)
  }
  return found
}

function childrenOf(part: SchemaNode, root: Schema): SchemaNode[] {
  const { schema } = part
  if (part.isCircle) return []
  return [
    ...referenceNodes(part, root),
    ...propertyNodes(part),
    ...['anyOf', 'oneOf', 'allOf'].flatMap((keyword) =>
      listOf(schema[keyword]).map((one) => (isRecord(one) ? siblingNode(part, one) : undefined)),
    ),
    ...itemNodes(part),
    ...additionalNodes(part),
  ].filter((child) => child !== undefined)
}

function referenceNodes(part: SchemaNode, root: Schema): SchemaNode[] {
  const target = resolveRef(part.schema.$ref, root)
  if (!isRecord(target)) return []
  return [{ ...siblingNode(part, target), isCircle: isAncestor(part, target) }]
}

function isAncestor(part: SchemaNode, target: Schema): boolean {
  for (let around: SchemaNode | undefined = part; around; around = around.parent)
    if (around.schema === target) return true
  return false
}

function propertyNodes(part: SchemaNode): SchemaNode[] {
  const { properties, required } = part.schema
  const needed = new Set(listOf(required))
  return Object.entries(isRecord(properties) ? properties : {}).map(([name, schema]) => ({
    ...childNode(part, isRecord(schema) ? schema : {}),
    path: toPath(part.path, name),
    name,
    isOptional: !needed.has(name),
  }))
}

function itemNodes(part: SchemaNode): (SchemaNode | undefined)[] {
  const { prefixItems, items } = part.schema
  const tuple = [prefixItems, items].find(Array.isArray) ?? []
  const each = isRecord(items) ? [{ ...childNode(part, items), path: `${part.path}[]` }] : []
  return [
    ...tuple.map((one: unknown, at) =>
      isRecord(one) ? { ...childNode(part, one), path: `${part.path}[${at}]` } : undefined,
    ),
    ...each,
  ]
}

function additionalNodes(part: SchemaNode): SchemaNode[] {
  const { additionalProperties } = part.schema
  if (!isRecord(additionalProperties) || Object.keys(additionalProperties).length === 0) return []
  return [{ ...childNode(part, additionalProperties), path: toPath(part.path, '*') }]
}

function siblingNode(part: SchemaNode, schema: Schema): SchemaNode {
  return { path: part.path, schema, isOptional: false, depth: part.depth, parent: part }
}

function childNode(part: SchemaNode, schema: Schema): Omit<SchemaNode, 'path'> {
  return { schema, isOptional: false, depth: part.depth + 1, parent: part }
}

/** Returns a property's path. A name that is not a plain word is quoted. */
export function toPath(path: string, name: string): string {
  if (!/^[\w$*-]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`
  return path === '' ? name : `${path}.${name}`
}
