import type { AnyAgent, RunState } from '@capstan/core'

/** Where a worker may die: the step has not begun; it is over, and nothing is kept of it; what it came to is kept. */
export interface FaultPoint {
  readonly key: string
  readonly when: 'before' | 'after' | 'kept'
}

/** A host under test, with the agents of the suite on it. */
export interface HostUnderTest {
  /**
   * Works on a run until it ends, or waits: by the journal of this id, from the state that is given and with the
   * decisions in it, `agent.run(state, { decisions: state.decisions, ... })`. At each point
   * `dies` is asked; when it says yes the worker is as good as killed there, and another one goes on from what the
   * journal has.
   */
  drive(
    journal: string,
    agent: AnyAgent,
    state: RunState,
    dies: (point: FaultPoint) => boolean,
  ): Promise<RunState>
}
