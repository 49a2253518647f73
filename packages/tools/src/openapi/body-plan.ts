import { isRecord } from '@capstan/core/internal'
import { type OpenApiDocument, type Part, partsOf, Unusable } from './document.js'
import type { Schema, SchemaReader } from './schema.js'
import type { Style } from './styles.js'

/** How to write a request body, and the schema of its value. */
export interface BodyPlan {
  readonly kind: 'json' | 'multipart' | 'urlencoded' | 'binary' | 'text'
  readonly mediaType: string
  readonly schema: Schema
  readonly isRequired: boolean
  /** The body's fields, if each can be a separate argument. Undefined if the body has to be one argument. */
  readonly fields: Fields | undefined
  /** How to write each field of a form, by name. Empty for other bodies. */
  readonly encodings: ReadonlyMap<string, FieldEncoding>
}

interface Fields {
  readonly properties: Readonly<Record<string, Schema>>
  readonly required: readonly string[]
}

export interface FieldEncoding {
  /** Whether the field is an artifact or an array of artifacts. */
  readonly isBinary: boolean
  readonly contentType?: string
  /** Absent if the field's media type determines how to write it. */
  readonly style?: Style
}

/**
 * Plans an operation's body, in the media type that is easiest for a model to write.
 * @throws Unusable if the body has no media type, or is a form without fields
 */
export function readBody(body: Part, reader: SchemaReader, document: OpenApiDocument): BodyPlan {
  const forms = Object.entries(Object(body.content)).map(([mediaType, form]) => {
    const { schema, encoding } = Object(form) as Part
    return { mediaType, kind: kindOf(mediaType, schema, reader), schema, encoding: Object(encoding) as Part }
  })
  const [form] = order.flatMap((kind) => forms.find((one) => one.kind === kind) ?? [])
  if (!form) throw new Unusable('Its body has no media type.')
  const { kind, schema } = form
  const isRequired = body.required === true
  const shared = { kind, mediaType: sentType(form.mediaType, kind), isRequired }
  if (kind === 'binary' || kind === 'text') {
    const read = kind === 'text' ? reader.read(schema ?? {}) : artifactSchema
    // The model writes XML as text, even if the schema describes an object.
    const text = read.type === 'string' ? read : { type: 'string', description: `Text of ${form.mediaType}.` }
    const texts = [text.description, body.description].filter((one) => typeof one === 'string')
    const description = texts.length > 0 ? { description: texts.join(' ') } : {}
    return { ...shared, schema: { ...text, ...description }, fields: undefined, encodings: new Map() }
  }
  const isForm = kind !== 'json'
  const encodings = isForm ? readEncodings(form, reader, document) : new Map<string, FieldEncoding>()
  const read = withArtifacts(merged(reader.read(schema ?? {})), encodings)
  const isWhole = isForm && !isRecord(read.properties)
  if (isWhole) throw new Unusable(`Its body (${form.mediaType}) has no fields.`)
  return {
    ...shared,
    schema: { ...read, ...describedBy(body) },
    fields: fieldsOf(read, isRequired),
    encodings,
  }
}

const order = ['json', 'multipart', 'urlencoded', 'binary', 'text'] as const

function kindOf(mediaType: string, schema: unknown, reader: SchemaReader): BodyPlan['kind'] {
  const [type = ''] = mediaType.toLowerCase().split(';')
  const plain = type.trim()
  if (/^application\/json$|\+json$/.test(plain)) return 'json'
  if (plain === 'multipart/form-data') return 'multipart'
  if (plain === 'application/x-www-form-urlencoded') return 'urlencoded'
  if (isText(plain)) return 'text'
  // Any media type may be sent, so the schema determines the kind.
  const { type: of, format } = reader.target(schema)
  return plain === '*/*' && of !== undefined && format !== 'binary' ? 'json' : 'binary'
}

export function isText(mediaType: string): boolean {
  return /^text\/|[/+](xml|yaml|x-yaml|javascript|x-ndjson|jsonl|graphql|csv|sql)$/.test(mediaType)
}

/**
 * Returns the media type to send. A range such as `image/*` cannot be sent, so it is replaced. Empty if the artifact
 * determines the type.
 */
function sentType(mediaType: string, kind: BodyPlan['kind']): string {
  if (!mediaType.includes('*')) return mediaType
  return kind === 'json' ? 'application/json' : kind === 'text' ? 'text/plain' : ''
}

function describedBy({ description }: Part): Schema {
  return typeof description === 'string' ? { description } : {}
}

const artifactSchema: Schema = { type: 'string', description: 'Artifact id.' }

interface FormBody {
  readonly kind: BodyPlan['kind']
  readonly schema: unknown
  readonly encoding: Part
}

function readEncodings(
  { kind, schema, encoding }: FormBody,
  reader: SchemaReader,
  document: OpenApiDocument,
): ReadonlyMap<string, FieldEncoding> {
  const isMultipart = kind === 'multipart'
  return new Map(
    propertiesOf(schema, reader).map(([name, property]) => {
      const { contentType, style, explode, allowReserved } = Object(
        Object.hasOwn(encoding, name) ? encoding[name] : {},
      ) as Part
      const target = reader.target(property)
      const item = target.type === 'array' ? reader.target(target.items) : target
      const isStyled = [style, explode, allowReserved].some((one) => one !== undefined)
      const used = typeof style === 'string' ? style : 'form'
      return [
        name,
        {
          isBinary: isMultipart && isBinary(item, contentType, document),
          ...(typeof contentType === 'string' && !/[*,\r\n]/.test(contentType) ? { contentType } : {}),
          ...(isStyled && !isMultipart
            ? {
                style: {
                  name: used,
                  explode: typeof explode === 'boolean' ? explode : used === 'form',
                  allowReserved: allowReserved === true,
                },
              }
            : {}),
        },
      ]
    }),
  )
}

/** Returns the properties of an object's schema, including those of the schemas in `allOf`. */
function propertiesOf(
  schema: unknown,
  reader: SchemaReader,
  levels = 0,
): readonly (readonly [string, unknown])[] {
  if (levels > 10) return []
  const { properties, allOf } = reader.target(schema)
  const inherited = partsOf(allOf).flatMap((part) => propertiesOf(part, reader, levels + 1))
  return [...inherited, ...Object.entries(Object(properties))]
}

/**
 * Whether a schema describes bytes. In OpenAPI 3.1, this is a string without an encoding whose media type is not text,
 * or a schema without a type.
 */
function isBinary(schema: Part, contentType: unknown, { version }: OpenApiDocument): boolean {
  if (schema.format === 'binary') return true
  if (version === '3.0') return false
  const { contentMediaType = contentType, contentEncoding, type, enum: values } = schema
  const isOpen =
    type === undefined && values === undefined && !['anyOf', 'oneOf', 'allOf'].some((one) => one in schema)
  if (contentEncoding !== undefined) return false
  return isOpen || (type === 'string' && typeof contentMediaType === 'string' && !isText(contentMediaType))
}

/** Replaces schemas of bytes with schemas of artifact ids. */
function withArtifacts(read: Schema, encodings: ReadonlyMap<string, FieldEncoding>): Schema {
  if (!isRecord(read.properties)) return read
  const properties = Object.entries(read.properties).map(([name, property]) => {
    if (!encodings.get(name)?.isBinary) return [name, property]
    const { description = '', type, minItems, maxItems } = Object(property) as Part
    const text = { ...artifactSchema, description: `Artifact id. ${description}`.trim() }
    const bounds = Object.entries({ minItems, maxItems }).filter(([, bound]) => bound !== undefined)
    return [
      name,
      type === 'array' ? { type, items: artifactSchema, ...Object.fromEntries(bounds), description } : text,
    ]
  })
  return { ...read, properties: Object.fromEntries(properties) }
}

/** Merges the objects in `allOf` into one. If merging could change the meaning, returns the schema unchanged. */
function merged(schema: Schema): Schema {
  const { allOf, ...own } = schema
  if (!Array.isArray(allOf)) return schema
  const parts = [...allOf.map((part) => (isRecord(part) ? merged(part) : part)), own]
  const names = parts.flatMap((part) => Object.keys(Object(Object(part).properties)))
  const arePlain = parts.every((part) => isRecord(part) && Object.keys(part).every((name) => plain.has(name)))
  if (!arePlain || new Set(names).size < names.length) return schema
  const required = [...new Set(parts.flatMap((part) => partsOf(Object(part).required)))]
  const properties = Object.assign({}, ...parts.map((part) => Object(part).properties))
  return {
    ...Object.assign({}, ...parts),
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
  }
}

const plain: ReadonlySet<string> = new Set([
  ...['type', 'properties', 'required', 'title', 'description', 'examples', 'default', 'deprecated'],
])

/**
 * Returns an object's fields, if each can be a separate argument. Undefined if the object explicitly allows other
 * fields, has rules other than the rules of its fields, or is optional but has required fields.
 */
function fieldsOf(read: Schema, isRequired: boolean): Fields | undefined {
  const { properties, required, additionalProperties, ...others } = read
  if (!isRecord(properties) || (others.type ?? 'object') !== 'object') return undefined
  if (additionalProperties !== undefined && additionalProperties !== false) return undefined
  if (Object.keys(others).some((name) => !plain.has(name))) return undefined
  const needed = partsOf(required).map(String)
  if (needed.length > 0 && !isRequired) return undefined
  const areThere = needed.every((name) => Object.hasOwn(properties, name))
  return areThere ? { properties: properties as Fields['properties'], required: needed } : undefined
}
