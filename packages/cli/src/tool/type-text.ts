/** A JSON Schema, as far as it is looked at. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly description?: string
  readonly default?: unknown
}

/** What a schema lets pass, in a few words. */
export function typeText(schema: Schema): string {
  const { type, enum: values, anyOf, oneOf, items } = schema
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const parts = anyOf ?? oneOf
  if (parts) return parts.map(typeText).join(' | ')
  if (type === 'array') return items ? `list of ${typeText(items)}` : 'list'
  return [type ?? 'anything'].flat().join(' | ')
}
