import { isRecord, listOf } from '../json.js'

type Schema = Readonly<Record<string, unknown>>

/**
 * Formats the type of a JSON Schema on one line, for models and people: `{ city: string, days?: integer }`. A reference
 * is formatted as its name. Of a large schema only the beginning is formatted.
 */
export function formatType(schema: unknown): string {
  let left = 100
  const format = (given: unknown): string => {
    if (left-- <= 0) return '...'
    return isRecord(given) ? formatSchema(given, format) : given === false ? 'nothing' : 'anything'
  }
  const text = format(schema)
  return text.length <= 2000 ? text : `${text.slice(0, 2000)}...`
}

type Format = (schema: unknown) => string

function formatSchema(schema: Schema, format: Format): string {
  const { $ref, type, enum: values, anyOf, oneOf, allOf, properties, items } = schema
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (typeof $ref === 'string') return /[^/#]+$/.exec($ref)?.[0] ?? 'object'
  const choices = [anyOf, oneOf].find(Array.isArray)
  if (choices && !properties) return choices.map(format).join(' | ')
  if (Array.isArray(allOf) && !properties) return allOf.map(format).join(' & ')
  const implied = properties ? 'object' : items ? 'array' : 'anything'
  const types = [type ?? implied].flat().map((one) => {
    if (one === 'object') return formatObject(schema, format)
    return one === 'array' ? formatList(items ?? schema.prefixItems, format) : String(one)
  })
  return types.join(' | ')
}

function formatObject(
  { properties, required, additionalProperties: others }: Schema,
  format: Format,
): string {
  if (!isRecord(properties)) return isRecord(others) ? `{ [name]: ${format(others)} }` : 'object'
  const needed = listOf(required)
  const fields = Object.entries(properties).map(([name, schema]) => {
    const key = /^[\w$]+$/.test(name) ? name : JSON.stringify(name)
    return `${key}${needed.includes(name) ? '' : '?'}: ${format(schema)}`
  })
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

function formatList(items: unknown, format: Format): string {
  if (Array.isArray(items)) return `[${items.map(format).join(', ')}]`
  if (items === undefined) return 'list'
  const item = format(items)
  return item.includes(' | ') ? `list of (${item})` : `list of ${item}`
}
