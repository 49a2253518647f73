type Schema = Readonly<Record<string, unknown>>

/** A small value that fits a JSON Schema, to show a model what is meant: what is required, and no more. */
export function exampleOf(schema: Schema, depth = 0): unknown {
  if (schema.const !== undefined) return schema.const
  for (const given of [schema.examples, schema.enum])
    if (Array.isArray(given) && given.length > 0) return given[0]
  if (schema.default !== undefined) return schema.default
  const [type = ''] = [schema.type].flat()
  if (type === 'object') return objectOf(schema, depth)
  if (type === 'array')
    return depth > 4 || !isRecord(schema.items) ? [] : [exampleOf(schema.items, depth + 1)]
  if (type === 'string') return formats[String(schema.format)] ?? 'text'
  if (type === 'number' || type === 'integer') return schema.minimum ?? schema.maximum ?? 1
  if (type === 'boolean') return true
  const [choice] = [schema.anyOf, schema.oneOf].flat().filter(isRecord)
  return choice && depth <= 4 ? exampleOf(choice, depth + 1) : null
}

const formats: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  time: '12:00:00Z',
  email: 'name@example.com',
  uri: 'https://example.com',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
}

function objectOf({ properties, required }: Schema, depth: number): unknown {
  const known = isRecord(properties) ? properties : {}
  const names = Array.isArray(required) ? required : []
  const shown = names.filter((name) => isRecord(known[name]) && depth <= 4)
  return Object.fromEntries(shown.map((name) => [name, exampleOf(known[name] as Schema, depth + 1)]))
}

function isRecord(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
