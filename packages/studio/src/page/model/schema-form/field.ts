// Converts a JSON Schema to form fields. Converts inner fields only when needed, because a schema can contain itself.
import { type JsonNode, toNode } from './json-node.js'
import { isSchema, listOf, mergeSchemas, resolveSchema, type Schema } from './resolve-schema.js'

/** A form field for a schema or part of a schema. */
export type Field =
  | TextField
  | NumberField
  | BooleanField
  | ChoiceField
  | ObjectField
  | ListField
  | UnionField
  | JsonField

interface Described {
  readonly title?: string
  readonly description?: string
  /** The schema's `default`, which applies if the field is absent. */
  readonly default?: JsonNode
  readonly isNullable: boolean
}

interface TextField extends Described {
  readonly kind: 'text'
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  /** Whether the text field has several lines. */
  readonly isLong: boolean
}

interface NumberField extends Described {
  readonly kind: 'number'
  readonly isInteger: boolean
  /** The allowed range as text: `0 to 10`, `more than 0`. */
  readonly bounds?: string
}

interface BooleanField extends Described {
  readonly kind: 'boolean'
}

/** A choice between fixed values, from `enum`, `const` or a union of constants. */
interface ChoiceField extends Described {
  readonly kind: 'choice'
  readonly options: readonly { readonly label: string; readonly value: JsonNode }[]
}

export interface ObjectField extends Described {
  readonly kind: 'object'
  readonly fields: () => readonly NamedField[]
  /** The field for properties that the schema does not list. Absent if no other properties are allowed. */
  readonly others?: () => Field
  /** The allowed names of other properties, if the schema restricts them. */
  readonly otherNames?: readonly string[]
}

interface NamedField {
  readonly name: string
  readonly isRequired: boolean
  /** The only value that the schema allows. Absent if it allows more than one. */
  readonly constant?: unknown
  /** Converted on first access. */
  readonly field: Field
}

export interface ListField extends Described {
  readonly kind: 'list'
  /** The fields for the first items of a tuple. Empty for other arrays. */
  readonly prefix: () => readonly Field[]
  /** The field for each item after `prefix`. Absent if no more items are allowed. */
  readonly item?: () => Field
  readonly minItems?: number
  readonly maxItems?: number
}

export interface UnionField extends Described {
  readonly kind: 'union'
  readonly options: readonly { readonly label: string; readonly field: Field }[]
  /** The name of the property whose constant distinguishes the options, such as `type`. */
  readonly discriminator?: string
}

/** A part that the user enters as JSON text. `reason` explains why there is no form for it. */
interface JsonField extends Described {
  readonly kind: 'json'
  readonly reason: string
}

/** Returns the form field for a schema. Resolves `$ref` in `root`. */
export function fieldOf(schema: unknown, root: unknown = schema): Field {
  return memoized(schema, root, () => {
    const resolved = resolveSchema(schema, root)
    if ('reason' in resolved) return jsonField(isSchema(schema) ? schema : {}, resolved.reason)
    return readField(resolved.schema, root, [])
  })
}

/** The fields that have been converted, by schema and root, so that each schema is converted only once. */
const known = new WeakMap<object, Map<unknown, Field>>()

function memoized(schema: unknown, root: unknown, read: () => Field): Field {
  if (!isSchema(schema)) return read()
  const ofSchema = known.get(schema) ?? new Map<unknown, Field>()
  known.set(schema, ofSchema)
  const field = ofSchema.get(root) ?? read()
  ofSchema.set(root, field)
  return field
}

/** Keywords that no form field can represent. */
const withoutForm = [
  'if',
  'not',
  'patternProperties',
  'dependentSchemas',
  'dependentRequired',
  'dependencies',
  'contains',
  '$dynamicRef',
  '$recursiveRef',
  'unevaluatedItems',
]

/**
 * Converts a schema to a form field. `around` contains the options of the enclosing unions, to detect unions that refer
 * to themselves.
 */
function readField(schema: Schema, root: unknown, around: readonly unknown[]): Field {
  const keyword = withoutForm.find((name) => schema[name] !== undefined)
  if (keyword) return jsonField(schema, `"${keyword}"`)
  if ('const' in schema) return choiceField(schema, [schema.const])
  if (Array.isArray(schema.enum)) return choiceField(schema, schema.enum)
  if (schema.anyOf && schema.oneOf) return jsonField(schema, '"anyOf" next to "oneOf"')
  if (schema.anyOf || schema.oneOf) return readUnion(schema, root, around)
  const types = listOf(schema.type)
  const isNullable = types.includes('null')
  const type = types.filter((one) => one !== 'null')
  if (type.length > 1) {
    const options = type.map((one) => ({ ...schema, type: one, title: undefined, description: undefined }))
    return unionField(
      schema,
      options.map((one) => readField(one, root, around)),
      isNullable,
    )
  }
  if (isNullable && type.length === 0) return choiceField(schema, [null])
  return readType(type[0] ?? typeBy(schema), schema, { root, isNullable })
}

/** Returns the type that keywords other than `type` imply. Undefined if they imply none. */
function typeBy({
  properties,
  required,
  additionalProperties,
  items,
  prefixItems,
}: Schema): string | undefined {
  if (properties ?? required ?? additionalProperties) return 'object'
  return (items ?? prefixItems) ? 'array' : undefined
}

interface Place {
  readonly root: unknown
  readonly isNullable: boolean
}

function readType(type: unknown, schema: Schema, place: Place): Field {
  const described = describe(schema, place.isNullable)
  if (type === 'string') return textField(schema, described)
  if (type === 'integer' || type === 'number') {
    return {
      kind: 'number',
      isInteger: type === 'integer',
      ...optional('bounds', boundsOf(schema)),
      ...described,
    }
  }
  if (type === 'boolean') return { kind: 'boolean', ...described }
  if (type === 'object') return objectField(schema, described, place.root)
  if (type === 'array') return listField(schema, described, place.root)
  return jsonField(schema, type === undefined ? 'any value is valid' : `type ${JSON.stringify(type)}`)
}

function textField(schema: Schema, described: Described): TextField {
  const { format, pattern, minLength, maxLength, contentMediaType } = schema
  return {
    kind: 'text',
    ...(typeof format === 'string' && { format }),
    ...(typeof pattern === 'string' && { pattern }),
    ...(typeof minLength === 'number' && { minLength }),
    ...(typeof maxLength === 'number' && { maxLength }),
    isLong: contentMediaType !== undefined || (typeof maxLength === 'number' && maxLength > 200),
    ...described,
  }
}

function boundsOf({
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
  multipleOf,
}: Schema): string | undefined {
  const words =
    typeof minimum === 'number' && typeof maximum === 'number'
      ? [`${minimum} to ${maximum}`]
      : [
          typeof minimum === 'number' ? `at least ${minimum}` : '',
          typeof maximum === 'number' ? `at most ${maximum}` : '',
        ]
  if (typeof exclusiveMinimum === 'number') words.push(`more than ${exclusiveMinimum}`)
  if (typeof exclusiveMaximum === 'number') words.push(`less than ${exclusiveMaximum}`)
  if (typeof multipleOf === 'number' && multipleOf !== 1) words.push(`a multiple of ${multipleOf}`)
  return words.filter(Boolean).join(', ') || undefined
}

function objectField(schema: Schema, described: Described, root: unknown): ObjectField {
  const { properties, additionalProperties, propertyNames } = schema
  const required = listOf(schema.required)
  const named = isSchema(properties) ? properties : {}
  // The form also shows properties that are required but not described.
  const names = [...new Set([...Object.keys(named), ...required.filter((name) => typeof name === 'string')])]
  const others =
    isSchema(additionalProperties) || additionalProperties === true ? additionalProperties : undefined
  const listed = isSchema(propertyNames) ? listOf(propertyNames.enum) : []
  return {
    kind: 'object',
    fields: once(() =>
      names.map((name) => {
        const inner = Object.hasOwn(named, name) ? named[name] : others
        return {
          name,
          isRequired: required.includes(name),
          ...optional('constant', constantOf(inner, root)),
          get field() {
            return fieldOf(inner, root)
          },
        }
      }),
    ),
    ...(others !== undefined || (names.length === 0 && additionalProperties !== false)
      ? { others: once(() => fieldOf(others, root)) }
      : {}),
    ...(listed.length > 0 ? { otherNames: listed.filter((name) => typeof name === 'string') } : {}),
    ...described,
  }
}

function listField(schema: Schema, described: Described, root: unknown): ListField {
  const { items, prefixItems, additionalItems, minItems, maxItems } = schema
  const prefix: readonly unknown[] = Array.isArray(items) ? items : listOf(prefixItems)
  const item = Array.isArray(items) ? additionalItems : items
  return {
    kind: 'list',
    prefix: once(() => prefix.map((one) => fieldOf(one, root))),
    // If a tuple's schema does not mention further items, the form offers none.
    ...(item === false || (item === undefined && prefix.length > 0)
      ? {}
      : { item: once(() => fieldOf(item, root)) }),
    ...(typeof minItems === 'number' && { minItems }),
    ...(typeof maxItems === 'number' && { maxItems }),
    ...described,
  }
}

function choiceField(
  schema: Schema,
  values: readonly unknown[],
  labels: readonly unknown[] = [],
): ChoiceField {
  const options = values.map((value, at) => {
    const label = labels[at]
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return {
      label: typeof label === 'string' && label !== text ? `${text}: ${label}` : text,
      value: toNode(value),
    }
  })
  return { kind: 'choice', options, ...describe(schema, false) }
}

function jsonField(schema: Schema, reason: string): JsonField {
  return { kind: 'json', reason, ...describe(schema, false) }
}

function describe({ title, description, default: preset }: Schema, isNullable: boolean): Described {
  return {
    isNullable,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    ...(preset !== undefined && { default: toNode(preset) }),
  }
}

/** Converts `anyOf` or `oneOf`. Keywords next to the union apply to every option. */
function readUnion(schema: Schema, root: unknown, around: readonly unknown[]): Field {
  const { anyOf, oneOf, ...base } = schema
  const given = listOf(anyOf ?? oneOf)
  if (around.includes(given)) return jsonField(schema, 'it refers to itself')
  const { title: _title, description: _description, default: _default, ...rules } = base
  const read = given.map((option): Field | Schema => {
    const resolved = resolveSchema(option, root)
    const merged = 'reason' in resolved ? resolved : mergeSchemas(rules, resolved.schema)
    return 'reason' in merged ? jsonField(isSchema(option) ? option : {}, merged.reason) : merged.schema
  })
  const constants = read.filter((one): one is Schema => !isField(one) && 'const' in one)
  if (constants.length === read.length && constants.length > 0) {
    return choiceField(
      schema,
      constants.map((one) => one.const),
      constants.map((one) => one.title ?? one.description),
    )
  }
  const isNull = (one: Field | Schema) => 'type' in one && one.type === 'null'
  const options = read.filter((one) => !isNull(one))
  const fields = options.map((one) =>
    'kind' in one && isField(one) ? one : readField(one as Schema, root, [...around, given]),
  )
  return unionField(base, fields, options.length < read.length)
}

function isField(value: Field | Schema): value is Field {
  return typeof value.isNullable === 'boolean'
}

function unionField(schema: Schema, fields: readonly Field[], isNullable: boolean): Field {
  const described = describe(schema, isNullable)
  const [only] = fields
  if (!only) return choiceField(schema, [null])
  if (fields.length === 1) return { ...only, ...described, isNullable: isNullable || only.isNullable }
  const discriminator = discriminatorOf(fields)
  const labels = distinct(fields.map((field) => labelOf(field, discriminator)))
  return {
    kind: 'union',
    options: fields.map((field, at) => ({ label: labels[at] ?? '', field })),
    ...optional('discriminator', discriminator),
    ...described,
  }
}

/** Returns the name of a required property whose constant differs in every option. Undefined if there is none. */
function discriminatorOf(fields: readonly Field[]): string | undefined {
  const names = fields[0]?.kind === 'object' ? fields[0].fields().map(({ name }) => name) : []
  return names.find((name) => {
    const constants = fields.map((field) => requiredConstant(field, name))
    return !constants.includes(undefined) && new Set(constants).size === fields.length
  })
}

function requiredConstant(field: Field, name: string): unknown {
  if (field.kind !== 'object') return undefined
  return field.fields().find((one) => one.name === name && one.isRequired)?.constant
}

function constantOf(schema: unknown, root: unknown): unknown {
  const resolved = resolveSchema(schema, root)
  if ('reason' in resolved) return undefined
  const { const: constant, enum: values } = resolved.schema
  return constant ?? (Array.isArray(values) && values.length === 1 ? values[0] : undefined)
}

function labelOf(field: Field, discriminator: string | undefined): string {
  const constant = discriminator === undefined ? undefined : requiredConstant(field, discriminator)
  if (constant !== undefined) return typeof constant === 'string' ? constant : JSON.stringify(constant)
  if (field.title) return field.title
  if (field.kind === 'object') {
    const required = field.fields().filter(({ isRequired }) => isRequired)
    const names = (required.length > 0 ? required : field.fields()).slice(0, 3).map(({ name }) => name)
    return names.length > 0 ? `object with ${names.join(', ')}` : 'object'
  }
  if (field.kind === 'choice') return field.options.map(({ label }) => label).join(' or ')
  if (field.kind === 'number') return field.isInteger ? 'integer' : 'number'
  return field.kind === 'json' ? 'JSON' : field.kind === 'text' ? (field.format ?? 'text') : field.kind
}

function distinct(labels: readonly string[]): readonly string[] {
  return labels.map((label, at) =>
    labels.indexOf(label) === labels.lastIndexOf(label) ? label : `${label} (${at + 1})`,
  )
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function optional<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { [name in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [name in Name]?: Value })
}
