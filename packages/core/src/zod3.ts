import type { StandardSchemaV1 } from '@standard-schema/spec'
import { ignoreOverride, zodToJsonSchema } from 'zod-to-json-schema'
import { rejectLost, rejectType } from './tools/to-json-schema.js'

/**
 * Makes a zod 3 schema usable for a tool or for `output`: `parameters: zod3(z.object({ ... }))`. Returns the same
 * schema with its JSON Schema added; schemas from other libraries are returned unchanged.
 */
export function zod3<Schema extends StandardSchemaV1>(schema: Schema): Schema {
  const standard = schema['~standard']
  if (standard.vendor !== 'zod' || '_zod' in schema) return schema
  const jsonSchema = { input: () => fromZod3(schema) }
  return Object.create(schema, { '~standard': { value: { ...standard, jsonSchema } } })
}

interface Zod3Def {
  readonly typeName?: string
  readonly coerce?: boolean
  readonly value?: unknown
  readonly defaultValue?: () => unknown
}

/** Returns the JSON Schema of a zod 3 schema's input. @throws Error with the path of a part that JSON cannot express */
function fromZod3(schema: object): Record<string, unknown> {
  return zodToJsonSchema(schema as Parameters<typeof zodToJsonSchema>[0], {
    $refStrategy: 'none',
    pipeStrategy: 'input',
    override(definition, { currentPath }, seen) {
      if (seen && seen.jsonSchema === undefined) return { $ref: seen.path.join('/') }
      const { typeName, coerce, value, defaultValue } = definition as unknown as Zod3Def
      const type = typeName?.slice('Zod'.length).toLowerCase() ?? ''
      const path = currentPath.slice(1)
      if (!coerce) rejectType(path, type)
      if (type === 'literal') rejectLost(path, { values: [value] }, {})
      if (type === 'default') rejectLost(path, { defaultValue: defaultValue?.() }, {})
      return ignoreOverride
    },
  }) as Record<string, unknown>
}
