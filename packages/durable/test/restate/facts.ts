import type { Restate } from '../../../../scripts/engines.mjs'

/** The server that a fact is checked on. */
export interface Stage extends Pick<Restate, 'ingress' | 'admin' | 'restart'> {}

/** Facts by name. A fact throws if it is not true. */
export type Facts = Readonly<Record<string, (stage: Stage) => Promise<void>>>

/** The outcome of a fact, as a line that the test reads. */
export interface Told {
  readonly name: string
  /** The error, if the fact is not true. */
  readonly error?: string
}
