import { ignoreOverride, zodToJsonSchema } from 'zod-to-json-schema'
import { registerZod3, rejectLost, rejectType } from './tools/to-json-schema.js'

registerZod3(fromZod3)

interface Zod3Def {
  readonly typeName?: string
  readonly coerce?: boolean
  readonly value?: unknown
  readonly defaultValue?: () => unknown
}

/** Returns the JSON Schema of a zod 3 schema's input. @throws Error with the place that JSON cannot express */
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
      const values = { values: [value], defaultValue: type === 'default' ? defaultValue?.() : undefined }
      rejectLost(path, { type, ...values }, {})
      return ignoreOverride
    },
  }) as Record<string, unknown>
}
