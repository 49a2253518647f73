import {
  dereference,
  type OutputUnit,
  type Schema,
  type SchemaDraft,
  schemaArrayKeyword,
  schemaKeyword,
  schemaMapKeyword,
  Validator,
} from '@cfworker/json-schema'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { CapstanError, messageOf } from '../errors.js'
import { isRecord, schemaPlace } from '../json.js'
import type { JsonSchemaParameters } from './json-schema-lite.js'
import { JsonLoss, toJson } from './to-json.js'

/**
 * Wraps a JSON Schema (drafts 4 to 2020-12) for use as `parameters`. What the schema cannot say in types,
 * it says at run time: arguments are `Record<string, unknown>`.
 * @throws CapstanError `invalid_tool` naming the place that is no JSON Schema, or a reference that leads nowhere
 */
export function jsonSchema(schema: Readonly<Record<string, unknown>>): JsonSchemaParameters {
  const { plain, validator } = toValidator(schema)
  return {
    schema: plain,
    '~standard': {
      version: 1,
      vendor: 'capstan',
      validate(value) {
        const { valid, errors } = validator.validate(toPlain(value))
        if (valid) return { value: value as Record<string, unknown> }
        return { issues: toIssues(errors) }
      },
    },
  }
}

/** Of a copy, for the validator writes into its schema. What it would only find out in a run is looked for now. */
function toValidator(schema: unknown): { readonly plain: Schema; readonly validator: Validator } {
  try {
    const plain = toJson(schema)
    if (typeof plain !== 'object' || plain === null) throw new Error('it is no object')
    checkSchema(plain)
    checkReferences(plain)
    return { plain, validator: new Validator(plain, toDraft(plain as Schema), false) }
  } catch (error) {
    const why =
      error instanceof JsonLoss
        ? `${error.message}; use plain JSON, and $ref for what holds itself`
        : messageOf(error)
    const message = `jsonSchema(...) was given no JSON Schema that can be used: ${why}.`
    throw new CapstanError('invalid_tool', message, { cause: error })
  }
}

function checkReferences(schema: Schema): void {
  const parts = dereference(schema)
  for (const part of Object.values(parts)) {
    if (typeof part === 'boolean' || part.$ref === undefined) continue
    if (parts[part.__absolute_ref__ ?? part.$ref] === undefined)
      throw new Error(`"${part.$ref}" leads to no part of it; use "#/$defs/<name>", with that name in $defs`)
  }
}

/** A copy, as JSON has it: the validator knows no `undefined`. */
function toPlain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value) ?? 'null')
}

function toDraft({ $schema }: Readonly<Record<string, unknown>>): SchemaDraft {
  if (String($schema).includes('draft-04')) return '4'
  return /draft-0[67]/.test(String($schema)) ? '7' : '2020-12'
}

/** Errors of the parts are told once, at the part: the whole's "does not match" would only repeat them. */
function toIssues(errors: readonly OutputUnit[]): StandardSchemaV1.Issue[] {
  const known = errors.filter(({ keyword }) => keyword !== 'false')
  const isRepeated = ({ keyword, keywordLocation }: OutputUnit) =>
    !/^(any|one)Of$/.test(keyword) &&
    known.some((other) => other.keywordLocation.startsWith(`${keywordLocation}/`))
  return known
    .filter((one) => !isRepeated(one))
    .map(({ error, instanceLocation }) => ({ message: error, path: toPath(instanceLocation) }))
}

/** From a JSON Pointer as it stands in a URL. */
function toPath(pointer: string): string[] {
  const parts = pointer.split('/').slice(1).map(decodeURIComponent)
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

type Path = readonly (string | number)[]

/** Goes through a JSON Schema, part by part. @throws Error naming the first place that is no schema, and what is one */
function checkSchema(schema: unknown, path: Path = []): void {
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
