import * as fc from 'fast-check'

const name = fc.constantFrom('city', 'n', 'list', 'enum', 'properties', 'required', 'toString')
const bounds = fc.tuple(fc.integer({ min: -20, max: 20 }), fc.nat({ max: 20 }))

/** Schemas of all kinds that tools have. */
const scalar = fc.oneof(
  fc.constantFrom<object>({ type: 'string' }, { type: 'boolean' }, { enum: ['a', 'b', 3] }, { const: 7 }),
  fc.constantFrom('date', 'email', 'uri', 'uuid', 'date-time').map((format) => ({ type: 'string', format })),
  fc.tuple(fc.nat({ max: 5 }), fc.nat({ max: 5 })).map(([minLength, more]) => {
    return { type: 'string', minLength, maxLength: minLength + more }
  }),
  bounds.map(([minimum, more]) => ({ type: 'integer', minimum, maximum: minimum + more })),
  bounds.map(([low, more]) => ({ type: 'number', exclusiveMinimum: low, maximum: low + more + 1 })),
  fc.integer({ min: 1, max: 9 }).map((multipleOf) => ({ type: 'integer', multipleOf })),
)

/** Schemas of objects, as tools have them as their parameters. */
export const anyParameters = objectOf(within(within(scalar)), 1)

/** The schemas, and lists, objects and unions of them. */
function within(inner: fc.Arbitrary<object>): fc.Arbitrary<object> {
  const list = fc.tuple(inner, fc.nat({ max: 3 })).map(([items, few]) => {
    return { type: 'array', items, minItems: few, maxItems: few + 2 }
  })
  const union = fc.array(inner, { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf }))
  return fc.oneof(inner, list, union, objectOf(inner, 0))
}

function objectOf(inner: fc.Arbitrary<object>, minKeys: number): fc.Arbitrary<object> {
  const fields = fc.dictionary(name, fc.tuple(inner, fc.boolean()), { minKeys, maxKeys: 4 })
  return fc.tuple(fields, fc.boolean()).map(([named, isOpen]) => ({
    type: 'object',
    properties: Object.fromEntries(Object.entries(named).map(([key, [schema]]) => [key, schema])),
    required: Object.keys(named).filter((key) => named[key]?.[1]),
    ...(isOpen ? {} : { additionalProperties: false }),
  }))
}
