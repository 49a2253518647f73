import { isRecord } from '@capstan/core/internal'
import { type OpenApiDocument, type Part, partsOf, targetOf, Unusable } from './document.js'

/** A JSON Schema (draft 2020-12). */
export type Schema = Readonly<Record<string, unknown>>

/** Converts the schemas of one operation to JSON Schema, with references inlined. */
export class SchemaReader {
  readonly #document: OpenApiDocument
  #parts = 0

  constructor(document: OpenApiDocument) {
    this.#document = document
  }

  /**
   * Returns the JSON Schema for a value in a request, without read-only fields. References are inlined up to five
   * levels deep. Deeper levels accept any value, which keeps recursive schemas finite.
   * @throws Unusable for a schema that is too large, or a reference without a target
   */
  read(schema: unknown, { isNullable = true }: ReadOptions = {}): Schema {
    const read = this.#read(schema, { refs: 0, levels: 0, isNullable })
    return isRecord(read) ? read : read ? {} : { not: {} }
  }

  /**
   * Returns the schema that a chain of references leads to.
   * @throws Unusable for a chain that is circular or has no target
   */
  target(schema: unknown): Part {
    let found = schema
    for (let refs = 0; isRecord(found) && typeof found.$ref === 'string'; refs++) {
      if (refs > maxRefs) throw new Unusable('Its references are circular.')
      found = targetOf(found.$ref, this.#document)
    }
    return isRecord(found) ? found : {}
  }

  #read(schema: unknown, at: Place): Schema | boolean {
    if (++this.#parts > maxParts)
      throw new Unusable(`Its schema has more than ${maxParts} parts once its references are inlined.`)
    if (typeof schema === 'boolean') return schema
    if (!isRecord(schema)) throw new Unusable('One of its schemas is not an object.')
    // A schema may contain itself, if its references have been replaced by the objects.
    if (at.levels > maxLevels) return {}
    const inner = { ...at, levels: at.levels + 1 }
    return typeof schema.$ref === 'string'
      ? this.#inline(schema.$ref, schema, inner)
      : this.#keywords(schema, inner)
  }

  #inline($ref: string, { $ref: _, ...beside }: Part, at: Place): Schema | boolean {
    const target = targetOf($ref, this.#document)
    const notes = pick(beside, annotations)
    if (at.refs >= maxRefs) return pick({ ...Object(target), ...notes }, ['title', 'description'])
    const read = this.#read(target, { ...at, refs: at.refs + 1 })
    if (!isRecord(read)) return read
    const others = Object.keys(beside).filter((name) => !annotations.includes(name))
    // Before OpenAPI 3.1, keywords next to a reference are ignored.
    if (this.#document.version === '3.0' || others.length === 0) return { ...read, ...notes }
    return { allOf: [read, this.#keywords(beside, at)] }
  }

  #keywords(schema: Part, at: Place): Schema {
    const read: Record<string, unknown> = {}
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === 'properties' && isRecord(value)) read.properties = this.#properties(value, at)
      else if (keyword === 'required') read.required = this.#required(partsOf(value), schema)
      else if (maps.has(keyword) && isRecord(value)) read[keyword] = this.#map(value, at)
      else if (lists.has(keyword)) read[keyword] = partsOf(value).map((part) => this.#read(part, at))
      else if (single.has(keyword))
        read[keyword] = Array.isArray(value)
          ? value.map((part) => this.#read(part, at))
          : this.#read(value, at)
      else if (kept.has(keyword)) read[keyword] = value
    }
    if (Array.isArray(read.required) && read.required.length === 0) delete read.required
    const { example } = schema
    if (example !== undefined && read.examples === undefined && isShort(example)) read.examples = [example]
    if (this.#document.version === '3.0') toNumbers(read)
    return this.#withNull(read, schema, at)
  }

  #properties(properties: Part, at: Place): Schema {
    const sent = Object.entries(properties).filter(([, schema]) => !this.isReadOnly(schema))
    return Object.fromEntries(sent.map(([name, schema]) => [name, this.#read(schema, at)]))
  }

  #map(schemas: Part, at: Place): Schema {
    return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, this.#read(schema, at)]))
  }

  #required(names: readonly unknown[], { properties }: Part): readonly unknown[] {
    return names.filter((name) => {
      const isThere = isRecord(properties) && Object.hasOwn(properties, String(name))
      return !isThere || !this.isReadOnly(properties[String(name)])
    })
  }

  /** Whether a field is read-only, so that only responses contain it. */
  isReadOnly(schema: unknown): boolean {
    return isRecord(schema) && (schema.readOnly === true || this.target(schema).readOnly === true)
  }

  /** Adds null for OpenAPI 3.0's `nullable`. Removes null if a request cannot express it, for example in a query. */
  #withNull(read: Record<string, unknown>, { nullable }: Part, { isNullable }: Place): Schema {
    const { type } = read
    if (!isNullable) return withoutNull(read)
    if (nullable !== true || this.#document.version !== '3.0') return read
    if (typeof type === 'string') return { ...read, type: [type, 'null'] }
    const { title, description, ...others } = read
    const isComposed = ['allOf', 'anyOf', 'oneOf'].some((keyword) => keyword in others)
    return isComposed ? { ...pick(read, ['title', 'description']), anyOf: [others, { type: 'null' }] } : read
  }
}

interface ReadOptions {
  /** Whether a request can express null. Default true. */
  readonly isNullable?: boolean
}

interface Place {
  /** The number of references that were followed to this schema. */
  readonly refs: number
  readonly levels: number
  readonly isNullable: boolean
}

const maxRefs = 5
const maxLevels = 50
const maxParts = 20_000

const annotations = ['title', 'description', 'default', 'deprecated']

/** Keywords whose value is an object of schemas. */
const maps: ReadonlySet<string> = new Set(['patternProperties', 'dependentSchemas'])
const lists: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const single: ReadonlySet<string> = new Set([
  ...['items', 'additionalProperties', 'additionalItems', 'not', 'if', 'then', 'else', 'contains'],
  ...['propertyNames', 'unevaluatedItems', 'unevaluatedProperties'],
])

/**
 * Keywords that are copied unchanged. Keywords of OpenAPI and the names of inlined schemas are dropped, because they do
 * not help a model.
 */
const kept: ReadonlySet<string> = new Set([
  ...['type', 'enum', 'const', 'format', 'title', 'description', 'default', 'deprecated', 'examples'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern', 'contentEncoding', 'contentMediaType'],
  ...['minItems', 'maxItems', 'uniqueItems', 'minContains', 'maxContains'],
  ...['minProperties', 'maxProperties', 'dependentRequired'],
])

function pick(part: Part, names: readonly string[]): Schema {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(part, name)).map((name) => [name, part[name]]),
  )
}

function isShort(value: unknown): boolean {
  return (JSON.stringify(value) ?? '').length <= 200
}

/** Converts the exclusive bounds of OpenAPI 3.0, which are flags next to `minimum` and `maximum`, to numbers. */
function toNumbers(schema: Record<string, unknown>): void {
  for (const [flag, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof schema[flag] !== 'boolean') continue
    const isExclusive = schema[flag] && schema[bound] !== undefined
    if (isExclusive) schema[flag] = schema[bound]
    else delete schema[flag]
    if (isExclusive) delete schema[bound]
  }
}

function withoutNull(schema: Record<string, unknown>): Schema {
  const { type, enum: values } = schema
  if (Array.isArray(type)) {
    const others = type.filter((one) => one !== 'null')
    schema.type = others.length === 1 ? others[0] : others
  }
  if (Array.isArray(values)) schema.enum = values.filter((one) => one !== null)
  for (const keyword of ['anyOf', 'oneOf'])
    if (Array.isArray(schema[keyword]))
      schema[keyword] = schema[keyword].filter((one) => Object(one).type !== 'null')
  return schema
}
