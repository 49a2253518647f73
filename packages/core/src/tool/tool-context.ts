import type { ArtifactStore } from '../words/artifact.js'
import type { Spending } from '../words/usage.js'

/** What a tool's function is told besides its arguments. */
export interface ToolContext<Context = unknown> {
  /** The run's dependencies, as given to `run`; never sent to the model. */
  readonly context: Context
  /** Aborts with the run, and at the tool's own deadline. */
  readonly signal: AbortSignal
  /** The run this call is of; a plain call has an id of its own. */
  readonly runId: string
  /** The call's own id, as the model or the server named it. */
  readonly callId: string
  /** Which answer of the model asked for this, from 0. */
  readonly step: number
  /** The same when the call is repeated after a crash: hand it to services that drop doubles. */
  readonly idempotencyKey: string
  /** Where bytes go: put them here, return the artifact, and the model sees a reference. */
  readonly artifacts: ArtifactStore
  /** Reports progress as a `tool-progress` event. */
  progress(value: unknown): void
  /**
   * Says what the call is about to use, before it does; it is counted with the run's usage. @throws CapstanError
   * `stopped` when a limit of the run would be passed: then the call must not do it
   */
  spend(spending: Spending): void
}
