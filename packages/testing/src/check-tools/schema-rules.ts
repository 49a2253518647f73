import { isRecord } from '@capstan/core/internal'
import { eachSchemaNode, eachTool, problemAt, type ToolRule } from './rule.js'
import type { SchemaNode } from './schema-walk.js'

// Rules for JSON Schemas that servers reject, or that do not tell models enough.
const rootChoice = eachTool(
  {
    name: 'root-choice',
    level: 'error',
    finds: 'anyOf, oneOf, allOf, not, enum or const at the root of the parameters, which servers reject',
  },
  ({ parts: [root] }) => {
    const found = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const'].find(
      (keyword) => keyword in (root?.schema ?? {}),
    )
    if (found === undefined) return []
    const message = `${found} is at the root of the parameters, but servers require a plain object there.`
    return [{ message, fix: 'Move the choice into a parameter, or create a separate tool for each.' }]
  },
)

/** JSON Schema keywords that do not constrain a value. */
const annotationKeywords = [
  'title',
  'description',
  'default',
  'examples',
  '$comment',
  'deprecated',
  'readOnly',
  'writeOnly',
]

const openValue = eachSchemaNode(
  {
    name: 'open-value',
    level: 'warning',
    finds: 'a parameter of any type (z.any, z.unknown), which gives the model no hint',
  },
  ({ path, schema, parent }) => {
    const isOpen =
      path !== '' && !Object.keys(schema).some((keyword) => !annotationKeywords.includes(keyword))
    // Report an array of arbitrary values only once.
    if (!isOpen || parent?.path === path) return undefined
    return {
      message: 'Any value is allowed here, so the model gets no hint.',
      fix: 'Add a type, such as z.string(), or z.union([...]) of the accepted types.',
    }
  },
)

const openObject = eachSchemaNode(
  {
    name: 'open-object',
    level: 'warning',
    finds: 'an object that accepts undeclared fields with any value: z.looseObject, z.record of z.unknown()',
  },
  ({ path, schema }) => {
    const { type, properties, additionalProperties, patternProperties } = schema
    if (type !== 'object' || patternProperties) return undefined
    const isLoose = additionalProperties === true || isEmpty(additionalProperties)
    const isBare = path !== '' && isEmpty(properties ?? {}) && additionalProperties === undefined
    if (!isLoose && !isBare) return undefined
    return {
      message: 'This object accepts any field with any value, so the model must invent them.',
      fix: 'Name the fields with z.object({ ... }), or give the values a type: z.record(z.string(), z.number()).',
    }
  },
)

const listWithoutItems = eachSchemaNode(
  {
    name: 'list-without-items',
    level: 'error',
    finds: 'an array without items, which servers reject',
  },
  ({ schema }) => {
    if (![schema.type].flat().includes('array') || 'items' in schema || 'prefixItems' in schema)
      return undefined
    return {
      message: 'This array has no type for its items, so servers reject it.',
      fix: 'Add the type, as in z.array(z.string()) or items: { type: "string" }.',
    }
  },
)

const fixedPositions = eachSchemaNode(
  {
    name: 'fixed-positions',
    level: 'warning',
    finds: 'a tuple, which many servers do not support',
  },
  ({ schema }) => {
    if (!('prefixItems' in schema) && !Array.isArray(schema.items)) return undefined
    return {
      message: 'This is a tuple. Many servers reject or ignore arrays with a schema for each position.',
      fix: 'Use an object with a name for each position, or an array of one type.',
    }
  },
)

const recursiveSchema = eachSchemaNode(
  {
    name: 'recursive-schema',
    level: 'warning',
    finds: 'a schema that contains itself, which some servers reject',
  },
  ({ isCircle }) => {
    if (!isCircle) return undefined
    return {
      message: 'The schema contains itself here, which some servers reject.',
      fix: 'Use a flat array whose items name their parent, or a fixed number of levels.',
    }
  },
)

const schemaReference = eachTool(
  {
    name: 'schema-reference',
    level: 'info',
    finds: 'a $ref, which servers that support only a part of JSON Schema do not follow',
  },
  ({ parts }) => {
    // The previous rule reports recursive schemas.
    const circles = new Set(parts.filter(({ isCircle }) => isCircle).map(({ schema }) => schema))
    return parts.flatMap(({ path, schema, parent }) => {
      if (typeof parent?.schema.$ref !== 'string' || path !== parent.path || circles.has(schema)) return []
      const message = `This is a reference (${parent.schema.$ref}). Servers that support only a part of JSON Schema do not follow it.`
      return [{ path, message, fix: 'Inline the schema where it is used.' }]
    })
  },
)

const rareKeywords = [
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependentRequired',
  'dependencies',
  'patternProperties',
  'contains',
  'unevaluatedProperties',
  'unevaluatedItems',
]

const rareKeyword = eachSchemaNode(
  {
    name: 'rare-keyword',
    level: 'warning',
    finds: 'not, if, dependentRequired, patternProperties and other keywords that few servers support',
  },
  ({ schema }) => {
    const found = rareKeywords.find((keyword) => keyword in schema)
    if (found === undefined) return undefined
    return {
      message: `Few servers support the keyword ${found}; some reject the request.`,
      fix: 'Describe the rule, and check it in execute.',
    }
  },
)

const parameterKey = eachSchemaNode(
  {
    name: 'parameter-key',
    level: 'error',
    finds: 'a parameter whose name is not 1 to 64 letters, digits, "_", "." and "-", which servers reject',
  },
  ({ name, depth }) => {
    if (name === undefined || depth !== 1 || /^[a-zA-Z0-9_.-]{1,64}$/.test(name)) return undefined
    return {
      message: 'Some servers reject this parameter name, and with it every request that offers the tool.',
      fix: 'Use 1 to 64 letters, digits, "_", "." and "-".',
    }
  },
)

export const shapeRules: readonly ToolRule[] = [
  rootChoice,
  parameterKey,
  listWithoutItems,
  openValue,
  openObject,
  fixedPositions,
  recursiveSchema,
  schemaReference,
  rareKeyword,
]

function isEmpty(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0
}

const strictKeywords = [
  'oneOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
  'patternProperties',
]
const strictFormats = ['date-time', 'date', 'time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']

/** A rule for parts of a schema that servers reject if the tool has `strict: true`. */
const strictSchema = eachTool(
  {
    name: 'strict-schema',
    level: 'error',
    finds: 'a schema that servers reject in a tool with strict: optional parameters, open objects, oneOf',
  },
  ({ tool, parts }) => {
    if (!tool.settings.strict) return []
    return parts.flatMap((part) => problemAt(part, strictProblem(part)))
  },
)

export const strictRules: readonly ToolRule[] = [strictSchema]

function strictProblem({
  schema,
  isOptional,
  isCircle,
}: SchemaNode): { message: string; fix: string } | undefined {
  if (isCircle) return undefined
  if (isOptional)
    return {
      message: 'Strict servers reject optional parameters.',
      fix: 'Use .nullable() instead of .optional() and .default().',
    }
  if (isRecord(schema.properties) && schema.additionalProperties !== false)
    return {
      message: 'Strict servers reject objects that allow additional fields.',
      fix: 'Use z.strictObject({ ... }), or additionalProperties: false.',
    }
  if (!isRecord(schema.properties) && schema.additionalProperties)
    return {
      message: 'Strict servers reject records, because their fields have no fixed names.',
      fix: 'Use an array of objects, each with a key and a value.',
    }
  const keyword = strictKeywords.find((keyword) => keyword in schema)
  if (keyword !== undefined)
    return {
      message: `Strict servers reject the keyword ${keyword}.`,
      fix: 'Use anyOf, z.union([...]), or omit strict.',
    }
  const { format } = schema
  if (typeof format !== 'string' || strictFormats.includes(format)) return undefined
  return {
    message: `Strict servers reject the format ${format}.`,
    fix: 'Remove it, and describe the format.',
  }
}
