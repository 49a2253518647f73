import type { AnyAgent, PrepareOptions } from '@capstan/core'

/** A run, and what it must come to however often its workers die. */
export interface Scenario {
  readonly name: string
  readonly agent: AnyAgent
  readonly options?: PrepareOptions
  /** Keys of the requests to models, within the run. */
  readonly requests: readonly string[]
  /** Keys of the calls whose functions run. */
  readonly effects: readonly string[]
  /** How often it waits for decisions: each call that waits gets a yes. Default 0. */
  readonly waits?: number
  /** Its time is limited, and its calls alone take so long. */
  readonly leastSeconds?: number
  /** Whether it ends by the error of its model. Default false. */
  readonly fails?: boolean
}
