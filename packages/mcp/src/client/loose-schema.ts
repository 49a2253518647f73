// A stranger's schema may hold a regular expression that takes years. Arguments are checked by all the rest of it; the
// server, which must check them anyway, looks at what is left out here.

type Schema = Readonly<Record<string, unknown>>

/** A schema without regular expressions, and without what cannot do without them: all that fits the one fits the other. */
export function looseSchema(schema: Schema): Schema {
  const hasPatterns = Object.hasOwn(schema, 'patternProperties')
  const kept = Object.entries(schema).filter(
    ([keyword]) => !leftOut.has(keyword) && !(hasPatterns && keyword === 'additionalProperties'),
  )
  const { oneOf, ...loose } = Object.fromEntries(
    kept.map(([keyword, value]) => [keyword, toLoose(keyword, value)]),
  )
  if (oneOf === undefined) return loose
  // Of schemas that ask for less, more than one may fit.
  const others = Array.isArray(loose.allOf) ? loose.allOf : []
  return { ...loose, allOf: [...others, { anyOf: oneOf }] }
}

/** Regular expressions, and what is fulfilled by values that do not fit a schema. */
const leftOut: ReadonlySet<string> = new Set([
  'pattern',
  'patternProperties',
  'not',
  'if',
  'then',
  'else',
  'maxContains',
  'unevaluatedProperties',
  'unevaluatedItems',
])

const maps = ['properties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']
const schemas = [
  'anyOf',
  'oneOf',
  'allOf',
  'prefixItems',
  'items',
  'contains',
  'additionalItems',
  'additionalProperties',
  'propertyNames',
]

function toLoose(keyword: string, value: unknown): unknown {
  if (maps.includes(keyword) && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, toPart(part)]))
  if (!schemas.includes(keyword)) return value
  return Array.isArray(value) ? value.map(toPart) : toPart(value)
}

function toPart(part: unknown): unknown {
  return isObject(part) ? looseSchema(part) : part
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
