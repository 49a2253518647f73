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

/** The option that creates the context of a run in its worker. Required when a tool needs a context. */
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
   * Starts a run, or finds the one with this id. Resolves when the run has ended or waits for decisions.
   * @throws CapstanError as `agent.run` does, with the run's state; `conflict` when the id belongs to a run with other input
   */
  run(input: RunInput, options?: DurableRunOptions): Promise<Result>
  /** The same as `run`, with live events. */
  stream(input: RunInput, options?: DurableRunOptions): DurableRun<Result>
  /** Starts a run and returns its id once it is stored. */
  start(input: RunInput, options?: DurableRunOptions): Promise<string>
  /**
   * Resolves when a run has ended or waits for decisions. Any process may have started it.
   * @throws CapstanError `not_found`, or the error of the run
   */
  result(runId: string): Promise<Result>
  /** The status of a run. @throws CapstanError `not_found` */
  status(runId: string): Promise<RunStatus>
  /**
   * Decides on a call. Allowed before the call is pending and without a running worker. Repeating a decision has no effect.
   * @throws CapstanError `invalid_request` or `invalid_arguments` for a decision that cannot be applied; `conflict` for a
   * different decision on that call, or when the tools have changed and no worker with the old tools is running; `not_found`
   */
  decide(runId: string, callId: string, decision: Decision): Promise<void>
  /** Aborts a run and its child runs at their next step. A run that has ended does not change. @throws CapstanError `not_found` */
  abort(runId: string, reason?: string): Promise<void>
  /** Lists its runs, ordered by id. Only agents whose store supports it have it. */
  list?(options?: ListRunsOptions): Promise<RunList>
  /** Closes the connections. Runs continue. */
  close(): Promise<void>
}

/** Options of `list`. */
export interface ListRunsOptions {
  /** Default: all. */
  readonly phases?: readonly RunStatus['phase'][]
  /** The most runs of one list. Default 100. */
  readonly limit?: number
  /** The `after` of the list before. */
  readonly after?: string
}

export interface RunList {
  readonly runs: readonly RunStatus[]
  /** Runs of any agent that cannot be read. Absent if there are none. */
  readonly damaged?: readonly DamagedRun[]
  /** Pass it for the next list. Absent at the end. */
  readonly after?: string
}

/** A stored run that cannot be read. */
export interface DamagedRun {
  readonly runId: string
  readonly error: { readonly code: string; readonly message: string }
}

/** Options of a new run. */
export interface DurableRunOptions extends Omit<PrepareOptions, 'decisions'> {
  /** Plain JSON stored with the run and passed to the `context` function. */
  readonly data?: Json
  /** Denies calls that need approval: no person can decide in this run. Default false. */
  readonly unattended?: boolean
}

/** A run in progress. Iterate it for events from now on. Events are not stored and can be lost. */
export interface DurableRun<Result extends RunResult> extends AsyncIterable<RunEvent> {
  readonly runId: string
  /** The result as `run` returns it. Never becomes an unhandled rejection. */
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
  /** The reason given to `abort`. */
  readonly reason?: string
  /** Model replies so far, as of the last stored step. */
  readonly stepCount?: number
  /** Usage so far, as of the last stored step. */
  readonly usage?: Usage
  readonly pending: readonly PendingCall[]
  readonly error?: { readonly code: string; readonly message: string }
  /** The number of times that workers started the current work. */
  readonly attempts: number
  /** The worker that has the run, or had it last. */
  readonly worker?: string
  /** Version of the application that executes it. */
  readonly version?: string
}

/** The error for callers that wait while the client is closed. */
export function clientClosed(runId: string): CapstanError {
  return new CapstanError('stopped', `Stopped waiting for run "${runId}": the client was closed.`)
}
