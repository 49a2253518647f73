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

/** The result that an agent's runs resolve to. */
export type ResultOf<A extends AnyAgent> = Awaited<ReturnType<A['run']>>

/**
 * The type of the `context` option, a function that creates a run's context in its worker. Required if a tool needs a
 * context.
 */
export type ContextOption<A extends AnyAgent> = undefined extends
  | Parameters<A['run']>[1]
  | ([ContextOf<A>] extends [never] ? undefined : never)
  ? { readonly context?: (runId: string, data: Json | undefined) => unknown }
  : { readonly context: (runId: string, data: Json | undefined) => ContextOf<A> | Promise<ContextOf<A>> }

/** The type of the options argument of `durable`. The argument is optional unless a tool needs a context. */
export type DurableArguments<A extends AnyAgent, Options> =
  Record<never, never> extends ContextOption<A>
    ? [options?: Options & ContextOption<A>]
    : [options: Options & ContextOption<A>]

type ContextOf<A extends AnyAgent> =
  NonNullable<Parameters<A['run']>[1]> extends { readonly context: infer Context } ? Context : unknown

/** An agent whose runs continue even if the processes that start and execute them die. */
export interface DurableAgent<Result extends RunResult = RunResult> {
  readonly name: string
  /**
   * Starts a run, or finds the existing run with this id. Resolves when the run has ended or is pending.
   * @throws CapstanError as `agent.run` does, with the run's state; `conflict` if the id belongs to a run with
   * different input
   */
  run(input: RunInput, options?: DurableRunOptions): Promise<Result>
  /** Like `run`, but also delivers events while the run is in progress. */
  stream(input: RunInput, options?: DurableRunOptions): DurableRun<Result>
  /** Starts a run, and resolves with its id as soon as the run is stored. Does not wait for the run to end. */
  start(input: RunInput, options?: DurableRunOptions): Promise<string>
  /**
   * Resolves with a run's result once the run has ended or is pending. Any process may have started the run.
   * @throws CapstanError `not_found`, or the run's error
   */
  result(runId: string): Promise<Result>
  /** Returns a run's current status. @throws CapstanError `not_found` */
  status(runId: string): Promise<RunStatus>
  /**
   * Decides on a call. The call need not be pending yet, and no worker needs to be running. Repeating a decision has no
   * effect.
   * @throws CapstanError `invalid_request` or `invalid_arguments` for a decision that cannot be applied; `conflict` if
   * a different decision on the call exists, or if the tools have changed and no worker with the old tools is running;
   * `not_found`
   */
  decide(runId: string, callId: string, decision: Decision): Promise<void>
  /**
   * Aborts a run and its child runs at their next step. Does nothing if the run has ended. @throws CapstanError
   * `not_found`
   */
  abort(runId: string, reason?: string): Promise<void>
  /** Lists the agent's runs, ordered by id. This method is absent if the store does not support it. */
  list?(options?: ListRunsOptions): Promise<RunList>
  /** Closes the connections. Workers continue the runs. */
  close(): Promise<void>
}

/** Which of an agent's runs `list` returns. */
export interface ListRunsOptions {
  /** The phases of the runs to return. Default: all. */
  readonly phases?: readonly RunStatus['phase'][]
  /** Maximum number of runs to return. Default 100. */
  readonly limit?: number
  /** The `after` of the previous page. Default: the first page. */
  readonly after?: string
}

export interface RunList {
  readonly runs: readonly RunStatus[]
  /** Runs that cannot be read, from any agent that uses the store. Absent if there are none. */
  readonly damaged?: readonly DamagedRun[]
  /** Pass this as `after` to get the next page. Absent on the last page. */
  readonly after?: string
}

/** A stored run that cannot be read, and why. */
export interface DamagedRun {
  readonly runId: string
  readonly error: { readonly code: string; readonly message: string }
}

/** Options for a new durable run. */
export interface DurableRunOptions extends Omit<PrepareOptions, 'decisions'> {
  /** JSON that is stored with the run, and passed to the `context` function. */
  readonly data?: Json
  /** Whether calls that need approval are denied, because no one is available to decide. Default false. */
  readonly unattended?: boolean
}

/**
 * A run in progress. Iterate over it to receive the events from now on. Events are not stored, and some can be lost.
 */
export interface DurableRun<Result extends RunResult> extends AsyncIterable<RunEvent> {
  readonly runId: string
  /** The result that `run` would resolve with. If you do not handle a rejection, it is not reported as unhandled. */
  readonly result: Promise<Result>
}

export interface RunStatus {
  readonly runId: string
  /**
   * `queued`: no worker has claimed the run yet. `running`: a worker is executing it. `pending`: the run is waiting for
   * decisions and does not occupy a worker. `ended`: see `stopReason`. `failed`: see `error`. `set_aside`: the run is
   * paused after too many failed attempts.
   */
  readonly phase: 'queued' | 'running' | 'pending' | 'ended' | 'failed' | 'set_aside'
  readonly stopReason?: StopReason
  /** The reason passed to `abort`. */
  readonly reason?: string
  /** The number of model replies up to the last stored step. */
  readonly stepCount?: number
  /** The usage up to the last stored step. */
  readonly usage?: Usage
  readonly pending: readonly PendingCall[]
  readonly error?: { readonly code: string; readonly message: string }
  /** How many times a worker has started or restarted the current part of the run. */
  readonly attempts: number
  /** The worker that is executing the run, or that executed it last. */
  readonly worker?: string
  /** The version of the worker that is executing the run, or that executed it last. */
  readonly version?: string
}

/** Returns the error for callers that are still waiting for a run when the client is closed. */
export function clientClosed(runId: string): CapstanError {
  return new CapstanError('stopped', `Stopped waiting for run "${runId}": the client was closed.`)
}
