import { isRecord } from '../words/record.js'
import { holdsNumber } from './holds-number.js'

type Schema = Readonly<Record<string, unknown>>

export interface Coerced {
  readonly value: unknown
  /** What was changed, in words, with its place. */
  readonly repairs: readonly string[]
}

/**
 * Reads arguments as the schema means them, where that is the one way to read them: `"1"` as a number or a
 * truth value, `null` as absent for what is optional, one value as a list of one.
 */
export function coerce(value: unknown, schema: Schema): Coerced {
  const repairs: string[] = []
  return { value: read(value, schema, { path: '', repairs }), repairs }
}

interface Place {
  readonly path: string
  readonly repairs: string[]
}

function read(value: unknown, schema: Schema, place: Place): unknown {
  const types = [schema.type].flat()
  if (types.includes('object') && isRecord(value)) return readObject(value, schema, place)
  if (types.includes('array')) return readArray(value, schema, place)
  if (typeof value !== 'string' || types.includes('string')) return value
  const scalar = toScalar(value.trim(), types)
  if (scalar === undefined) return value
  place.repairs.push(`${place.path}: "${value}" was read as ${scalar}`)
  return scalar
}

function toScalar(text: string, types: readonly unknown[]): number | boolean | undefined {
  if (types.includes('boolean') && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  // As JSON writes numbers: "007" may be a name.
  if (!/^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(text) || !holdsNumber(text)) return undefined
  const value = Number(text)
  return types.includes('number') || (types.includes('integer') && Number.isInteger(value))
    ? value
    : undefined
}

function readObject(value: Schema, { properties, required }: Schema, { path, repairs }: Place): unknown {
  const known = isRecord(properties) ? properties : {}
  const needed = Array.isArray(required) ? required : []
  const entries = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    const schema = Object.hasOwn(known, key) ? known[key] : undefined
    if (!isRecord(schema)) return [[key, inner]]
    const here = path === '' ? key : `${path}.${key}`
    if (inner === null && !needed.includes(key) && !allowsNull(schema)) {
      repairs.push(`${here}: null was read as absent`)
      return []
    }
    return [[key, read(inner, schema, { path: here, repairs })]]
  })
  return Object.fromEntries(entries)
}

function readArray(value: unknown, { type, items }: Schema, { path, repairs }: Place): unknown {
  const schema = isRecord(items) ? items : {}
  if (Array.isArray(value)) return value.map((one, i) => read(one, schema, { path: `${path}.${i}`, repairs }))
  if (!isOne(value, [type].flat())) return value
  repairs.push(`${path}: one value was read as a list of one`)
  return [read(value, schema, { path: `${path}.0`, repairs })]
}

/** Whether a value can only be meant as one of a list: no other type is allowed, and it is no list in a string. */
function isOne(value: unknown, types: readonly unknown[]): boolean {
  if (value === null || value === undefined || types.some((type) => type !== 'array' && type !== 'null'))
    return false
  return typeof value !== 'string' || !value.trimStart().startsWith('[')
}

function allowsNull(schema: Schema): boolean {
  const types = [schema.type].flat()
  return types.includes('null') || schema.type === undefined
}
