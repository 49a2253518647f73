import { getOwn, isExactNumber, isRecord } from '../json.js'

type Schema = Readonly<Record<string, unknown>>

/** The type of the `repair` agent option, such as `safeRepair`. */
export interface Repair {
  /** Repairs text that is not valid JSON. The result may still be invalid. */
  repairJson(text: string): RepairedJson
  /** Changes parsed arguments that do not match their tool's JSON Schema. The result is validated again. */
  coerce(value: unknown, schema: Schema): Coerced
}

/**
 * Repairs invalid arguments if only one meaning is possible: a code fence, a trailing comma, Python literals, `"1"` for
 * a number, `null` for an optional value, a single value for an array. Text that was cut off stays invalid.
 */
export const safeRepair: Repair = { repairJson, coerce }

export interface Coerced {
  readonly value: unknown
  /** A description of each change, with its path. */
  readonly repairs: readonly string[]
}

/**
 * Coerces arguments to their schema where only one meaning is possible: `"1"` becomes a number, `"true"` a boolean, a
 * single value an array, and an optional field that is `null` is removed.
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
  // Only JSON notation is accepted, because "007" may be a name.
  if (!/^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(text) || !isExactNumber(text)) return undefined
  const value = Number(text)
  return types.includes('number') || (types.includes('integer') && Number.isInteger(value))
    ? value
    : undefined
}

function readObject(value: Schema, { properties, required }: Schema, { path, repairs }: Place): unknown {
  const known = isRecord(properties) ? properties : {}
  const needed = Array.isArray(required) ? required : []
  const entries = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    const schema = getOwn(known, key)
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
  if (!isSingleItem(value, [type].flat())) return value
  repairs.push(`${path}: one value was put into an array`)
  return [read(value, schema, { path: `${path}.0`, repairs })]
}

/**
 * Whether a value can only be meant as an array's single item: the schema allows no other type, and the value is not an
 * array written as a string.
 */
function isSingleItem(value: unknown, types: readonly unknown[]): boolean {
  if (value === null || value === undefined || types.some((type) => type !== 'array' && type !== 'null'))
    return false
  return typeof value !== 'string' || !value.trimStart().startsWith('[')
}

function allowsNull(schema: Schema): boolean {
  const types = [schema.type].flat()
  return types.includes('null') || schema.type === undefined
}

export interface RepairedJson {
  readonly text: string
  /** Short descriptions, such as `a code fence was removed`. */
  readonly repairs: readonly string[]
}

/**
 * Matches tokens that may need a repair. Also matches complete strings, so that their content is not changed, and
 * strings that were cut off, so that each is scanned only once.
 */
const token =
  /"[^"\\]*(?:\\.[^"\\]*)*"?|'[^'\\]*(?:\\.[^'\\]*)*'?|\b(?:True|False|None)\b|(?<![{[,:]\s*),(?=\s*[}\]])/gs

/**
 * Repairs text that is almost JSON: removes a code fence and trailing commas, and converts Python literals and quotes.
 * Adds nothing, so text that was cut off stays invalid.
 */
export function repairJson(text: string): RepairedJson {
  const repairs = new Set<string>()
  const fenced = inFence(text.trim())
  if (fenced !== undefined) repairs.add('a code fence was removed')
  const repaired = (fenced ?? text).replace(token, (found) => {
    if (found.startsWith('"') || isCut(found)) return found
    if (found === ',') repairs.add('a trailing comma was removed')
    else repairs.add('Python was converted to JSON')
    if (found === ',') return ''
    if (found.startsWith("'")) return requoted(found)
    return found === 'None' ? 'null' : found.toLowerCase()
  })
  return { text: repaired, repairs: [...repairs] }
}

function inFence(text: string): string | undefined {
  const [opening] = /^```\w*\s*\n/.exec(text) ?? []
  if (opening === undefined || text.length < opening.length + 3 || !text.endsWith('```')) return undefined
  return text.slice(opening.length, -3).trimEnd()
}

function isCut(token: string): boolean {
  return token.startsWith("'") && (token.length < 2 || !token.endsWith("'"))
}

function requoted(single: string): string {
  const inner = single
    .slice(1, -1)
    .replace(/\\.|"/gs, (part) => (part === "\\'" ? "'" : part === '"' ? '\\"' : part))
  return `"${inner}"`
}
