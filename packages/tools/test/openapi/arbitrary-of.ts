import { type Schema, Validator } from '@cfworker/json-schema'
import fc from 'fast-check'

type Part = Readonly<Record<string, unknown>>

/** Makes texts that a place can hold. */
export type Texts = (path: readonly string[]) => fc.Arbitrary<string>

/** Makes arguments of a tool that a validator of others takes. */
export function callsOf(parameters: unknown, texts: Texts): fc.Arbitrary<Record<string, unknown>> {
  const validator = new Validator(structuredClone(parameters) as Schema, '2020-12', false)
  const calls = arbitraryOf(parameters, texts) as fc.Arbitrary<Record<string, unknown>>
  return calls.filter((call) => validator.validate(JSON.parse(JSON.stringify(call))).valid)
}

/** Makes values that fit a JSON Schema. Optional fields end at the fourth level, so that recursive schemas do. */
function arbitraryOf(schema: unknown, texts: Texts, path: readonly string[] = []): fc.Arbitrary<unknown> {
  const part = Object(schema) as Part
  const inner = (one: unknown, name = '') => arbitraryOf(one, texts, name === '' ? path : [...path, name])
  if (Array.isArray(part.enum)) return fc.constantFrom(...part.enum)
  if ('const' in part) return fc.constant(part.const)
  const choices = [part.anyOf, part.oneOf].find(Array.isArray)
  if (choices) {
    const { anyOf: _, oneOf: __, ...own } = part
    return fc.oneof(...choices.map((one) => inner(joined({ ...own, allOf: [own, one] }))))
  }
  if (Array.isArray(part.allOf)) return inner(joined(part))
  if (typeof part.pattern === 'string' && part.type === 'string')
    return fc.stringMatching(new RegExp(part.pattern))
  if (Array.isArray(part.type)) return fc.oneof(...part.type.map((type) => inner({ ...part, type })))
  switch (part.type ?? (part.properties ? 'object' : 'any')) {
    case 'string':
      return textOf(part, texts(path))
    case 'integer':
      return fc.integer({ min: lowest(part, 1), max: highest(part, 1) })
    case 'number':
      return fc
        .double({ min: lowest(part, 0.5), max: highest(part, 0.5), noNaN: true, noDefaultInfinity: true })
        .map((one) => (Object.is(one, -0) ? 0 : one))
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(inner(part.items ?? { type: 'string' }, '*'), {
        minLength: Number(part.minItems ?? 0),
        maxLength: Number(part.maxItems ?? Number(part.minItems ?? 0) + 3),
      })
    case 'object':
      return objectOf(part, inner, path.length)
    default:
      return fc.oneof(texts(path), fc.integer(), fc.boolean())
  }
}

function objectOf(part: Part, inner: (one: unknown, name: string) => fc.Arbitrary<unknown>, level: number) {
  const required = Array.isArray(part.required) ? part.required.map(String) : []
  const isSmall = level > 3
  const fields = Object.entries(Object(part.properties)).filter(
    ([name]) => !isSmall || required.includes(name),
  )
  return fc.record(Object.fromEntries(fields.map(([name, one]) => [name, inner(one, name)])), {
    requiredKeys: required.filter((name) => fields.some(([known]) => known === name)),
    noNullPrototype: true,
  })
}

function textOf(
  { minLength = 0, maxLength, format }: Part,
  texts: fc.Arbitrary<string>,
): fc.Arbitrary<string> {
  if (format === 'date') return fc.constantFrom('2026-11-30', '1999-01-01')
  if (format === 'date-time') return fc.constantFrom('2026-11-30T10:00:00Z')
  if (format === 'uri' || format === 'url') return fc.constantFrom('https://example.com/a?b=c')
  if (format === 'email') return fc.constantFrom('ada@example.com')
  if (format === 'uuid') return fc.uuid()
  return texts
    .map((text) => [...text].slice(0, Number(maxLength ?? 100)).join(''))
    .map((text) => ([...text].length < Number(minLength) ? text + 'x'.repeat(Number(minLength)) : text))
    .map((text) => (maxLength === undefined ? text : [...text].slice(0, Number(maxLength)).join('')))
}

function lowest({ minimum, exclusiveMinimum }: Part, step: number): number {
  return Number(minimum ?? (exclusiveMinimum === undefined ? -1000 : Number(exclusiveMinimum) + step))
}

function highest({ maximum, exclusiveMaximum, ...low }: Part, step: number): number {
  return Number(
    maximum ?? (exclusiveMaximum === undefined ? lowest(low, step) + 2000 : Number(exclusiveMaximum) - step),
  )
}

/** Joins the parts of an object that is composed of others. */
function joined({ allOf, ...own }: Part): Part {
  const parts: Part[] = [
    ...(allOf as readonly unknown[])
      .map((one) => Object(one) as Part)
      .map((one) => (one.allOf ? joined(one) : one)),
    own,
  ]
  const properties = Object.assign({}, ...parts.map((one) => one.properties))
  return { ...Object.assign({}, ...parts), properties, required: parts.flatMap((one) => one.required ?? []) }
}
