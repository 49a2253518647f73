import type { StandardSchemaV1 } from '@standard-schema/spec'

export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly string[] }

/** Checks a value against a schema; each issue is one line, `path: what is wrong (given: what came)`. */
export async function validate(schema: StandardSchemaV1, value: unknown): Promise<Checked> {
  const outcome = schema['~standard'].validate(value)
  const { issues, ...rest } = outcome instanceof Promise ? await outcome : outcome
  if (issues) return { ok: false, issues: issues.map((issue) => toLine(issue, value)) }
  return { ok: true, value: (rest as { value: unknown }).value }
}

function toLine({ path = [], message }: StandardSchemaV1.Issue, value: unknown): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part))
  if (keys.length === 0) return message
  const came = JSON.stringify(keys.reduce(innerOf, value))
  const given = came === undefined ? 'nothing' : came.length > 80 ? `${came.slice(0, 77)}...` : came
  return `${keys.join('.')}: ${message} (given: ${given})`
}

function innerOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined
}
