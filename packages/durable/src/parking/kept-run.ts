import type { Decisions, RunState } from '@capstan/core'
import type { RecordedError } from '../recorded.js'
import type { RoundEnd } from '../round-end.js'
import type { RunSettings } from '../run-settings.js'

/** A run as it is kept between the steps of who works on it. Plain JSON. */
export interface KeptRun {
  /** The name of the agent that it was started with. */
  readonly agent: string
  /** As it was before the last step that was begun, or at its end. */
  readonly state: RunState
  readonly phase: 'running' | 'pending' | 'ended' | 'failed'
  /** Of what it was started with: two runs of one id must be of one. */
  readonly digest: string
  readonly settings: KeptSettings
  /** All that was decided of its calls, by call id, also of those that do not wait yet. */
  readonly decisions: Decisions
  /** What else it came to when it ended, or last waited. */
  readonly end?: Omit<RoundEnd, 'state'>
  readonly error?: RecordedError
  /** It was ended from outside, and why where somebody said. */
  readonly aborted?: { readonly reason?: string }
  /** Changes hands with each worker that takes it up: who has an older number has lost it. */
  readonly attempts: number
  readonly worker: string
}

/** What is said of a run once. */
export type KeptSettings = RunSettings
