import { jsonSchema } from '@capstan/core'

/**
 * Returns the JSON Schema of a flat object, for a tool's `parameters`. TypeScript infers the type of the arguments from
 * `properties` and `required`.
 */
export function parameters<
  const Properties extends Readonly<Record<string, Property>>,
  const Required extends readonly (string & keyof Properties)[],
>(properties: Properties, required: Required) {
  return jsonSchema<ArgumentsOf<Properties, Required[number]>>({
    type: 'object',
    properties,
    required,
    additionalProperties: false,
  })
}

interface Property {
  readonly type: 'string' | 'integer' | 'boolean' | 'array'
  readonly items?: { readonly type: 'string' }
  readonly description: string
  readonly [keyword: string]: unknown
}

type ArgumentsOf<Properties, Required> = {
  readonly [Name in keyof Properties as Name extends Required ? Name : never]: ValueOf<Properties[Name]>
} & {
  readonly [Name in keyof Properties as Name extends Required ? never : Name]?: ValueOf<Properties[Name]>
}

type ValueOf<One> = One extends { readonly type: infer Type }
  ? Type extends 'string'
    ? string
    : Type extends 'integer'
      ? number
      : Type extends 'boolean'
        ? boolean
        : readonly string[]
  : never
