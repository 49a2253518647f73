import { isRecord } from '../record.js'
import type { JsonSchema } from './json-schema.js'
import { lookUpReference } from './json-schema.js'
import { type Check, type Place, unless, valueChecks } from './value-checks.js'

/** What is wrong with a value by its schema, with its place; nothing when it fits. */
export function schemaFlaw(value: unknown, schema: JsonSchema): string | undefined {
  return flawAt(value, schema, { root: schema, at: 'the answer', depth: 0, budget: { left: mostPlaces } })
}

/** The keywords that values are checked by. */
export function isChecked(keyword: string): boolean {
  return Object.hasOwn(checks, keyword)
}

// A reference may lead to itself, and twice in one schema: then there are more places than time.
const deepest = 60
const mostPlaces = 20_000

function flawAt(
  value: unknown,
  schema: unknown,
  { root, at, depth, budget }: Omit<Place, 'schema'>,
): string | undefined {
  if (schema === false) return `${at} may not be there`
  if (!isRecord(schema)) return undefined
  budget.left -= 1
  if (depth > deepest || budget.left < 0) return `${at} is of a form that refers to itself`
  const place = { schema, root, at, depth: depth + 1, budget }
  if (typeof schema.$ref === 'string') {
    const flaw = flawAt(value, lookUpReference(schema.$ref, root), place)
    if (flaw !== undefined) return flaw
  }
  for (const [keyword, check] of Object.entries(checks)) {
    const flaw = Object.hasOwn(schema, keyword) ? check(value, schema[keyword], place) : undefined
    if (flaw !== undefined) return flaw
  }
  return undefined
}

const checks: Readonly<Record<string, Check>> = {
  ...valueChecks,
  items: (value, rule, place) =>
    Array.isArray(value)
      ? value.map((one, index) => flawAt(one, rule, { ...place, at: `${place.at}[${index}]` })).find(Boolean)
      : undefined,
  properties: (value, rule, place) =>
    isRecord(value) && isRecord(rule)
      ? Object.entries(value)
          .filter(([name]) => Object.hasOwn(rule, name))
          .map(([name, one]) => flawAt(one, rule[name], { ...place, at: `${place.at}.${name}` }))
          .find(Boolean)
      : undefined,
  additionalProperties: (value, rule, place) =>
    isRecord(value)
      ? Object.entries(value)
          .filter(
            ([name]) => !isRecord(place.schema.properties) || !Object.hasOwn(place.schema.properties, name),
          )
          .map(([name, one]) => flawAt(one, rule, { ...place, at: `${place.at}.${name}` }))
          .find(Boolean)
      : undefined,
  allOf: (value, rule, place) =>
    toList(rule)
      .map((one) => flawAt(value, one, place))
      .find(Boolean),
  anyOf: (value, rule, place) => {
    const flaws = toList(rule).map((one) => flawAt(value, one, place))
    return flaws.includes(undefined) ? undefined : flaws[0]
  },
  oneOf: (value, rule, place) => {
    const fitting = toList(rule).filter((one) => flawAt(value, one, place) === undefined)
    return unless(fitting.length === 1, `${place.at} must fit exactly one of ${toList(rule).length} forms`)
  },
}

function toList(rule: unknown): unknown[] {
  return Array.isArray(rule) ? rule : []
}
