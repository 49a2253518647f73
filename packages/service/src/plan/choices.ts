import { aliasesOf } from './aliases.js'
import type { JsonSchema } from './json-schema.js'
import { splitName, toConcepts } from './words.js'

/** A value that a parameter is limited to, with the words it may be said in. */
export interface Choice {
  readonly value: unknown
  /** In lower case, with spaces for underscores. */
  readonly written: string
  readonly concepts: ReadonlySet<string>
  /** The stems of its other spellings. */
  readonly aliases: readonly string[]
}

/** The values of a schema's `enum`; none without one. */
export function toChoices({ enum: values }: JsonSchema): Choice[] {
  if (!Array.isArray(values)) return []
  return values.map((value: unknown) => {
    const written = splitName(String(value)).toLowerCase()
    return { value, written, concepts: toConcepts(written), aliases: aliasesOf(written) }
  })
}
