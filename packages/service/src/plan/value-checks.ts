import { isRecord } from '../record.js'
import type { JsonSchema } from './json-schema.js'

/** Where a value stands that is checked. */
export interface Place {
  readonly schema: JsonSchema
  readonly root: JsonSchema
  readonly at: string
  readonly depth: number
  /** How many more places may be looked at. */
  readonly budget: { left: number }
}

/** What is wrong with a value by one keyword; nothing when it fits. */
export type Check = (value: unknown, rule: unknown, place: Place) => string | undefined

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: Array.isArray,
  object: isRecord,
}

/** A flaw, unless there is none. */
export const unless = (fits: boolean, flaw: string) => (fits ? undefined : flaw)
const size = (value: unknown) =>
  typeof value === 'string' ? [...value].length : Array.isArray(value) ? value.length : 0
const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

function isOfType(name: string, value: unknown): boolean {
  return Object.hasOwn(types, name) && types[name]?.(value) === true
}

/** Keywords that look at a value alone, not at what it holds. */
export const valueChecks: Readonly<Record<string, Check>> = {
  type: (value, rule, { schema, at }) => {
    const names: unknown[] = Array.isArray(rule) ? rule : [rule]
    const fits =
      names.some((name) => isOfType(String(name), value)) || (value === null && schema.nullable === true)
    return unless(fits, `${at} must be of type ${names.join(' or ')}`)
  },
  enum: (value, rule, { at }) =>
    unless(
      Array.isArray(rule) && rule.some((one) => same(one, value)),
      `${at} must be one of ${JSON.stringify(rule)}`,
    ),
  const: (value, rule, { at }) => unless(same(value, rule), `${at} must be ${JSON.stringify(rule)}`),
  minimum: (value, rule, { at }) => unless(!(Number(value) < Number(rule)), `${at} must be at least ${rule}`),
  maximum: (value, rule, { at }) => unless(!(Number(value) > Number(rule)), `${at} must be at most ${rule}`),
  exclusiveMinimum: (value, rule, { at }) =>
    unless(!(Number(value) <= Number(rule)), `${at} must be more than ${rule}`),
  exclusiveMaximum: (value, rule, { at }) =>
    unless(!(Number(value) >= Number(rule)), `${at} must be less than ${rule}`),
  multipleOf: (value, rule, { at }) =>
    unless(
      typeof value !== 'number' || Number.isInteger(value / Number(rule)),
      `${at} must be a multiple of ${rule}`,
    ),
  minLength: (value, rule, { at }) =>
    unless(
      typeof value !== 'string' || size(value) >= Number(rule),
      `${at} must have at least ${rule} characters`,
    ),
  maxLength: (value, rule, { at }) =>
    unless(
      typeof value !== 'string' || size(value) <= Number(rule),
      `${at} must have at most ${rule} characters`,
    ),
  pattern: (value, rule, { at }) =>
    unless(typeof value !== 'string' || matches(value, rule), `${at} must match ${rule}`),
  minItems: (value, rule, { at }) =>
    unless(!Array.isArray(value) || size(value) >= Number(rule), `${at} must have at least ${rule} items`),
  maxItems: (value, rule, { at }) =>
    unless(!Array.isArray(value) || size(value) <= Number(rule), `${at} must have at most ${rule} items`),
  uniqueItems: (value, rule, { at }) => {
    const texts = rule === true && Array.isArray(value) ? value.map((one) => JSON.stringify(one)) : []
    return unless(new Set(texts).size === texts.length, `${at} must have no item twice`)
  },
  required: (value, rule, { at }) => {
    const lacking =
      isRecord(value) && Array.isArray(rule)
        ? rule.find((name) => !Object.hasOwn(value, String(name)))
        : undefined
    return unless(lacking === undefined, `${at} must have "${lacking}"`)
  },
}

function matches(value: string, pattern: unknown): boolean {
  return value.length <= 1000 && new RegExp(String(pattern), 'u').test(value)
}
