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
    kept
      .map(([keyword, value]) => [keyword, toLoose(keyword, value)] as const)
      .filter(([, value]) => value !== undefined),
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
  // By these a reference may lead where a bound on its length does not look.
  ...['$id', 'id', '$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveAnchor', '$recursiveRef'],
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
  if (!schemas.includes(keyword)) return plain.has(keyword) || !isStructured(value) ? value : undefined
  return Array.isArray(value) ? value.map(toPart) : toPart(value)
}

/** Keywords whose lists and objects are no schemas. Under any other, a reference may find one that was not looked through. */
const plain: ReadonlySet<string> = new Set([
  'enum',
  'const',
  'default',
  'examples',
  'required',
  'type',
  'dependentRequired',
])

function isStructured(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function toPart(part: unknown): unknown {
  return isObject(part) ? looseSchema(part) : part
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
