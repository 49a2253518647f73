import { schemaArrayKeyword, schemaKeyword, schemaMapKeyword } from '@cfworker/json-schema'
import { isRecord } from '../words/record.js'
import { schemaPlace } from './schema-place.js'

type Path = readonly (string | number)[]

/** Goes through a JSON Schema, part by part. @throws Error naming the first place that is no schema, and what is one */
export function checkSchema(schema: unknown, path: Path = []): void {
  if (typeof schema === 'boolean') return
  if (!isRecord(schema)) throw fault(path, `${shown(schema)} is no schema; use an object, true or false`)
  for (const [keyword, value] of Object.entries(schema)) {
    const [what, fits] = (Object.hasOwn(rules, keyword) && rules[keyword]) || anything
    if (!fits(value)) throw fault(path, `${keyword} is ${shown(value)}; use ${what}`)
    for (const [key, part] of partsOf(keyword, value)) checkSchema(part, [...path, keyword, ...key])
  }
}

type Rule = readonly [what: string, fits: (value: unknown) => boolean]

const anything: Rule = ['any value', () => true]
const number: Rule = ['a number', Number.isFinite]
const bound: Rule = ['a number', (value) => Number.isFinite(value) || typeof value === 'boolean']
const count: Rule = ['a whole number from 0 up', (value) => Number.isInteger(value) && Number(value) >= 0]
const text: Rule = ['a string', (value) => typeof value === 'string']
const many: Rule = ['an object of schemas', isRecord]
const list: Rule = ['a list of schemas', isFilledList]

const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

const rules: Readonly<Record<string, Rule>> = {
  type: [`one of ${types.join(', ')}, or a list of them`, isType],
  enum: ['a list of values', isFilledList],
  required: ['a list of names', (value) => Array.isArray(value) && value.every(text[1])],
  pattern: ['a regular expression that the flag "u" allows', isPattern],
  patternProperties: [
    'an object with regular expressions that the flag "u" allows as its names',
    (value) => isRecord(value) && Object.keys(value).every(isPattern),
  ],
  properties: many,
  $defs: many,
  definitions: many,
  dependentSchemas: many,
  anyOf: list,
  oneOf: list,
  allOf: list,
  prefixItems: list,
  $ref: text,
  format: text,
  minimum: number,
  maximum: number,
  exclusiveMinimum: bound,
  exclusiveMaximum: bound,
  multipleOf: ['a number above 0', (value) => Number.isFinite(value) && Number(value) > 0],
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  minProperties: count,
  maxProperties: count,
}

/** The schemas that a keyword holds, each with what leads to it. */
function partsOf(keyword: string, value: unknown): readonly (readonly [key: Path, part: unknown])[] {
  if (Array.isArray(value) && isKeyword(keyword, schemaArrayKeyword))
    return value.map((part, at) => [[at], part])
  if (isKeyword(keyword, schemaMapKeyword))
    return Object.entries(Object(value)).map(([key, part]) => [[key], part])
  return isKeyword(keyword, schemaKeyword) ? [[[], value]] : []
}

function isKeyword(keyword: string, among: Readonly<Record<string, unknown>>): boolean {
  return Object.hasOwn(among, keyword)
}

function isType(value: unknown): boolean {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value]
  return given.length > 0 && given.every((type) => types.includes(String(type)))
}

function isPattern(value: unknown): boolean {
  try {
    new RegExp(String(value), 'u')
    return typeof value === 'string'
  } catch {
    return false
  }
}

function isFilledList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0
}

function shown(value: unknown): string {
  const json = JSON.stringify(value)
  return json.length > 60 ? `${json.slice(0, 57)}...` : json
}

function fault(path: Path, why: string): Error {
  return new Error(`at "${schemaPlace(path)}", ${why}`)
}
