import type { StandardSchemaV1 } from '@standard-schema/spec'

export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly string[] }

/** Checks a value against a schema; each issue is one line, `path: what is wrong`. */
export async function validate(schema: StandardSchemaV1, value: unknown): Promise<Checked> {
  const outcome = schema['~standard'].validate(value)
  const { issues, ...rest } = outcome instanceof Promise ? await outcome : outcome
  if (issues) return { ok: false, issues: issues.map(toLine) }
  return { ok: true, value: (rest as { value: unknown }).value }
}

function toLine({ path = [], message }: StandardSchemaV1.Issue): string {
  const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
  return place ? `${place}: ${message}` : message
}
