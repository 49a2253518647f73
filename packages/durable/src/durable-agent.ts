import {
  type AnyAgent,
  CapstanError,
  type Decision,
  type Json,
  type PendingCall,
  type PrepareOptions,
  type RunEvent,
  type RunInput,
  type RunResult,
  type StopReason,
  type Usage,
} from '@capstan/core'

/** The result type of an agent's runs. */
export type ResultOf<A extends AnyAgent> = Awaited<ReturnType<A['run']>>

/** The option that creates a run's context in its worker. Required if a tool needs a context. */
export type ContextOption<A extends AnyAgent> = undefined extends
  | Parameters<A['run']>[1]
  | ([ContextOf<A>] extends [never] ? undefined : never)
  ? { readonly context?: (runId: string, data: Json | undefined) => unknown }
  : { readonly context: (runId: string, data: Json | undefined) => ContextOf<A> | Promise<ContextOf<A>> }

/** The options argument. Optional unless a tool needs a context. */
export type DurableArguments<A extends AnyAgent, Options> =
  Record<never, never> extends ContextOption<A>
    ? [options?: Options & ContextOption<A>]
    : [options: Options & ContextOption<A>]

type ContextOf<A extends AnyAgent> =
  NonNullable<Parameters<A['run']>[1]> extends { readonly context: infer Context } ? Context : unknown

/** An agent whose runs survive the processes that start and execute them. */
export interface DurableAgent<Result extends RunResult = RunResult> {
  readonly name: string
  /**
   * Starts a run, or finds the one with this id. Resolves when the run has ended or is pending.
   * @throws CapstanError as `agent.run` does, with the run's state; `conflict` if the id belongs to a run with
   * different input
   */
  run(input: RunInput, options?: DurableRunOptions): Promise<Result>
  /** Like `run`, with live events. */
  stream(input: RunInput, options?: DurableRunOptions): DurableRun<Result>
  /** Starts a run and returns its id once it is stored. */
  start(input: RunInput, options?: DurableRunOptions): Promise<string>
  /**
   * Resolves when a run has ended or is pending. Any process may have started it.
   * @throws CapstanError `not_found`, or the run's error
   */
  result(runId: string): Promise<Result>
  /** Returns the status of a run. @throws CapstanError `not_found` */
  status(runId: string): Promise<RunStatus>
  /**
   * Decides on a call. You can call it before the call is pending, and while no worker is running. Repeating a decision
   * has no effect.
   * @throws CapstanError `invalid_request` or `invalid_arguments` for a decision that cannot be applied; `conflict` for
   * a different decision on that call, or if the tools have changed and no worker with the old tools is running;
   * `not_found`
   */
  decide(runId: string, callId: string, decision: Decision): Promise<void>
  /**
   * Aborts a run and its child runs at their next step. Does nothing if the run has ended. @throws CapstanError
   * `not_found`
   */
  abort(runId: string, reason?: string): Promise<void>
  /** Lists the agent's runs, ordered by id. Absent if the store does not support it. */
  list?(options?: ListRunsOptions): Promise<RunList>
  /** Closes the connections. Runs continue in their workers. */
  close(): Promise<void>
}

/** Which runs `list` returns. */
export interface ListRunsOptions {
  /** The phases to list. Default: all. */
  readonly phases?: readonly RunStatus['phase'][]
  /** Maximum runs to return. Default 100. */
  readonly limit?: number
  /** The `after` of the previous list. */
  readonly after?: string
}

export interface RunList {
  readonly runs: readonly RunStatus[]
  /** Runs of any agent that cannot be read. Absent if there are none. */
  readonly damaged?: readonly DamagedRun[]
  /** Pass it as `after` for the next list. Absent at the end. */
  readonly after?: string
}

/** A stored run that cannot be read. */
export interface DamagedRun {
  readonly runId: string
  readonly error: { readonly code: string; readonly message: string }
}

/** Options of a new run. */
export interface DurableRunOptions extends Omit<PrepareOptions, 'decisions'> {
  /** Plain JSON that is stored with the run and passed to the `context` function. */
  readonly data?: Json
  /** Whether calls that need an approval are denied because nobody can decide in this run. Default false. */
  readonly unattended?: boolean
}

/** A run in progress. Iterate it for its events from now on. Events are not stored and can be lost. */
export interface DurableRun<Result extends RunResult> extends AsyncIterable<RunEvent> {
  readonly runId: string
  /** The result, as `run` returns it. Never becomes an unhandled rejection. */
  readonly result: Promise<Result>
}

export interface RunStatus {
  readonly runId: string
  /**
   * `queued`: no worker has claimed it. `running`: a worker executes it. `pending`: it waits for decisions and uses no
   * worker. `ended`: see `stopReason`. `failed`: see `error`. `set_aside`: paused after too many failed attempts.
   */
  readonly phase: 'queued' | 'running' | 'pending' | 'ended' | 'failed' | 'set_aside'
  readonly stopReason?: StopReason
  /** The reason passed to `abort`. */
  readonly reason?: string
  /** The number of model replies, as of the last stored step. */
  readonly stepCount?: number
  /** The usage, as of the last stored step. */
  readonly usage?: Usage
  readonly pending: readonly PendingCall[]
  readonly error?: { readonly code: string; readonly message: string }
  /** The number of times that workers started the current work. */
  readonly attempts: number
  /** The worker that executes the run, or executed it last. */
  readonly worker?: string
  /** The version of the application that executes it. */
  readonly version?: string
}

/** Creates the error for callers that are still waiting when the client is closed. */
export function clientClosed(runId: string): CapstanError {
  return new CapstanError('stopped', `Stopped waiting for run "${runId}": the client was closed.`)
}
