import { isRecord } from '@capstan/core/internal'
import { eachTool, problemAt, type ToolRule } from './rule.js'
import type { SchemaPart } from './schema-part.js'

/** What servers refuse of a tool that asks for strict, and only then. */
const strictSchema = eachTool(
  {
    name: 'strict-schema',
    level: 'error',
    finds:
      'with strict: what servers that hold the model to a schema refuse: optional parameters, open objects, oneOf',
  },
  ({ tool, parts }) => {
    if (!tool.settings.strict) return []
    return parts.flatMap((part) => problemAt(part, refusal(part)))
  },
)

export const strictRules: readonly ToolRule[] = [strictSchema]

function refusal({ schema, isOptional, isCircle }: SchemaPart): { message: string; fix: string } | undefined {
  if (isCircle) return undefined
  if (isOptional)
    return {
      message: 'Strict servers refuse a parameter that may be left out.',
      fix: 'Use .nullable() in place of .optional() and .default().',
    }
  if (isRecord(schema.properties) && schema.additionalProperties !== false)
    return {
      message: 'Strict servers refuse an object that does not forbid further fields.',
      fix: 'Use z.strictObject({ ... }), or additionalProperties: false.',
    }
  if (!isRecord(schema.properties) && schema.additionalProperties)
    return {
      message: 'Strict servers refuse a record, whose fields have no names.',
      fix: 'Take a list of objects with a key and a value.',
    }
  const keyword = refused.find((keyword) => keyword in schema)
  if (keyword !== undefined)
    return {
      message: `Strict servers refuse the keyword ${keyword}.`,
      fix: 'Use anyOf, z.union([...]), or leave strict out.',
    }
  const { format } = schema
  if (typeof format !== 'string' || formats.includes(format)) return undefined
  return {
    message: `Strict servers refuse the format ${format}.`,
    fix: 'Leave it out, and describe the form.',
  }
}

const refused = [
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
const formats = ['date-time', 'date', 'time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']
