import type { Trouble } from '../http/handle-request.js'

/** One way in which servers stray, and what it does to an answer. */
export interface Quirk {
  /** In a few words, as the documentation lists it. */
  readonly does: string
  readonly trouble: Trouble
}
