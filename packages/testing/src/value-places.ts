import { isRecord, misfit, partAt } from '@capstan/core/internal'

export type Schema = Readonly<Record<string, unknown>>

export type Path = readonly (string | number)[]

/** A place in a value, with what its schema says of it. */
export interface ValuePlace {
  readonly path: Path
  readonly value: unknown
  /** With what it refers to and joins written into it, and of choices the one that the value fits. */
  readonly schema: Schema
  /** Schemas of which one, or more, must fit. */
  readonly choices: readonly unknown[]
}

/** Every place in a value that fits a schema, the value itself first. */
export function valuePlaces(value: unknown, schema: Schema): ValuePlace[] {
  return placesIn({ path: [], value, schema }, schema)
}

function placesIn(place: Omit<ValuePlace, 'choices'>, root: Schema): ValuePlace[] {
  const schema = joined(place.schema, place.value, { root, depth: 0 })
  const { path, value } = place
  const inner = (key: string | number, part: unknown, of: unknown) =>
    placesIn({ path: [...path, key], value: part, schema: isRecord(of) ? of : {} }, root)
  const parts = Array.isArray(value)
    ? value.flatMap((item, at) => inner(at, item, itemSchema(schema, at)))
    : isRecord(value)
      ? Object.entries(value).flatMap(([key, part]) => inner(key, part, propertySchema(schema, key)))
      : []
  return [{ path, value, schema, choices: choicesOf(referred(place.schema, root)) }, ...parts]
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

/** A reference may lead to itself. */
const maxDepth = 12

function joined(schema: Schema, value: unknown, { root, depth }: Depth): Schema {
  if (depth > maxDepth) return schema
  const { $ref, allOf, anyOf, oneOf, ...own } = schema
  const chosen = choicesOf({ anyOf, oneOf }).find((choice) => isFitting(value, choice, root))
  const parts = [
    ...(typeof $ref === 'string' ? [partAt($ref, root)] : []),
    ...(Array.isArray(allOf) ? allOf : []),
    ...(chosen === undefined ? [] : [chosen]),
  ]
  const deeper = { root, depth: depth + 1 }
  return parts.filter(isRecord).reduce((all, part) => join(all, joined(part, value, deeper)), own)
}

function choicesOf({ anyOf, oneOf }: Schema): readonly unknown[] {
  return [anyOf, oneOf].find(Array.isArray) ?? []
}

function referred(schema: Schema, root: Schema): Schema {
  const part = typeof schema.$ref === 'string' ? partAt(schema.$ref, root) : undefined
  return isRecord(part) ? { ...schema, ...part } : schema
}

function join(one: Schema, other: Schema): Schema {
  const both = { ...one, ...other }
  return {
    ...both,
    ...(isRecord(both.properties) ? { properties: { ...Object(one.properties), ...both.properties } } : {}),
    ...(Array.isArray(both.required) ? { required: [...[one.required].flat(), ...both.required] } : {}),
  }
}

function isFitting(value: unknown, schema: unknown, root: Schema): boolean {
  try {
    return misfit(value, schema, root) === undefined
  } catch {
    return false
  }
}
