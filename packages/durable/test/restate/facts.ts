import type { Restate } from '../../../../scripts/engines.mjs'

/** The server of a fact. */
export interface Stage extends Pick<Restate, 'ingress' | 'admin' | 'restart'> {}

/** Facts by name. A fact throws when it does not hold. */
export type Facts = Readonly<Record<string, (stage: Stage) => Promise<void>>>

/** The outcome of a fact, as a line that the test reads. */
export interface Told {
  readonly name: string
  /** Error of a fact that does not hold. */
  readonly error?: string
}
