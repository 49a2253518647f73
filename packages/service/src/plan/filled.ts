import type { Span } from './read-clause.js'
import type { Slot } from './slots.js'

/** A tool's arguments as far as a clause gives them. */
export interface Filled {
  readonly arguments: Readonly<Record<string, unknown>>
  /** The names of those the clause gives; the others are defaults. */
  readonly given: ReadonlySet<string>
  /** Required parameters the clause says nothing about. */
  readonly missing: readonly Slot[]
  /** How many particular things, such as an address or a date, found a place. */
  readonly evidence: number
  /** As `evidence`, without names, dates and times: those stand in any sentence. */
  readonly hardEvidence: number
  /** The one parameter the clause gives several values for. */
  readonly fan: { readonly name: string; readonly values: readonly unknown[] } | undefined
  /** The parts of the clause that were used. */
  readonly spans: readonly Span[]
}
