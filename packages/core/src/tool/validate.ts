import type { StandardSchemaV1 } from '@standard-schema/spec'
import { andThen } from '../words/and-then.js'

export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly string[] }

/**
 * Checks a value against a schema, at once unless the schema has to wait; each issue is one line,
 * `path: what is wrong (given: what came)`.
 */
export function validate(schema: StandardSchemaV1, value: unknown): Checked | Promise<Checked> {
  return andThen<Outcome, Checked>(schema['~standard'].validate(value), (outcome) =>
    outcome.issues
      ? { ok: false, issues: outcome.issues.map((issue) => toLine(issue, value)) }
      : { ok: true, value: outcome.value },
  )
}

type Outcome = StandardSchemaV1.Result<unknown>

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
