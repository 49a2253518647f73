import { isRecord } from '../words/record.js'

type Bound = (value: unknown, rule: unknown) => boolean

/** The keywords of JSON Schema that bound a value whatever its parts are: whether it keeps to one. */
export const ownBounds: Readonly<Record<string, Bound>> = {
  type: (value, rule) => [rule].flat().some((type) => isOfType(value, type)),
  const: isSame,
  enum: (value, rule) => Array.isArray(rule) && rule.some((one) => isSame(value, one)),
  minimum: ofNumber((value, rule) => value >= rule),
  maximum: ofNumber((value, rule) => value <= rule),
  exclusiveMinimum: ofNumber((value, rule) => value > rule),
  exclusiveMaximum: ofNumber((value, rule) => value < rule),
  multipleOf: ofNumber((value, rule) => Math.abs(value / rule - Math.round(value / rule)) < 1e-7),
  minLength: ofText((value, rule) => [...value].length >= Number(rule)),
  maxLength: ofText((value, rule) => [...value].length <= Number(rule)),
  pattern: ofText((value, rule) => new RegExp(String(rule), 'u').test(value)),
  minItems: ofList((value, rule) => value.length >= Number(rule)),
  maxItems: ofList((value, rule) => value.length <= Number(rule)),
  uniqueItems: ofList((value, rule) => !rule || new Set(value.map(toText)).size === value.length),
  minProperties: ofObject((value, rule) => Object.keys(value).length >= Number(rule)),
  maxProperties: ofObject((value, rule) => Object.keys(value).length <= Number(rule)),
  required: ofObject(hasAll),
  dependentRequired: ofObject((value, rule) =>
    Object.entries(Object(rule)).every(
      ([name, names]) => !Object.hasOwn(value, name) || hasAll(value, names),
    ),
  ),
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'object') return isRecord(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  return type === 'null' ? value === null : typeof value === type
}

function isSame(one: unknown, other: unknown): boolean {
  return toText(one) === toText(other)
}

/** With fields in one order: what is the same may differ in that. */
function toText(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    isRecord(part) ? Object.fromEntries(Object.entries(part).sort(byName)) : part,
  )
}

/** By names alone: as text, a field named `toString` would be taken for the function. */
function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1
}

function ofNumber(holds: (value: number, rule: number) => boolean): Bound {
  return (value, rule) => typeof value !== 'number' || holds(value, Number(rule))
}

function ofText(holds: (value: string, rule: unknown) => boolean): Bound {
  return (value, rule) => typeof value !== 'string' || holds(value, rule)
}

function ofList(holds: (value: readonly unknown[], rule: unknown) => boolean): Bound {
  return (value, rule) => !Array.isArray(value) || holds(value, rule)
}

function ofObject(holds: (value: object, rule: unknown) => boolean): Bound {
  return (value, rule) => !isRecord(value) || holds(value, rule)
}

function hasAll(value: object, names: unknown): boolean {
  return Array.isArray(names) && names.every((name) => Object.hasOwn(value, name))
}
