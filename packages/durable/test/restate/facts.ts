import type { Restate } from '../../../../scripts/engines.mjs'

/** Where a fact is tried. */
export interface Stage extends Pick<Restate, 'ingress' | 'admin' | 'restart'> {}

/** What must hold, by its name: it throws when it does not. */
export type Facts = Readonly<Record<string, (stage: Stage) => Promise<void>>>

/** What one of them came to, as a line that a test reads. */
export interface Told {
  readonly name: string
  /** Why it does not hold. */
  readonly error?: string
}
