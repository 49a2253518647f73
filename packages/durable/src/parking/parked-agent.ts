import type { AnyRunResult } from '@capstan/core'
import type { DurableAgent } from '../durable-agent.js'

/** An agent whose runs are kept in a store. */
export interface ParkedAgent<Result extends AnyRunResult = AnyRunResult> extends DurableAgent<Result> {
  /**
   * Goes on with a run whose process has died, from before the step that it was in: its calls then run again, under the
   * same keys. A process that is alive after all stops at its next step. Its result tells the calls from here on. Does
   * nothing for a run that is not running.
   * @throws CapstanError `not_found`
   */
  takeUp(runId: string): Promise<void>
}
