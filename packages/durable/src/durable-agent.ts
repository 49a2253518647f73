import {
  type AnyAgent,
  type AnyRunResult,
  CapstanError,
  type Decision,
  type Json,
  type PendingCall,
  type PrepareOptions,
  type RunEvent,
  type RunInput,
  type StopReason,
  type Usage,
} from '@capstan/core'

/** What an agent's runs come to. */
export type ResultOf<A extends AnyAgent> = Awaited<ReturnType<A['run']>>

/** What makes the context of a run, wherever it is worked on; needed where a tool asks for one. */
export type ContextOption<A extends AnyAgent> = undefined extends
  | Parameters<A['run']>[1]
  | ([ContextOf<A>] extends [never] ? undefined : never)
  ? { readonly context?: (runId: string, data: Json | undefined) => unknown }
  : { readonly context: (runId: string, data: Json | undefined) => ContextOf<A> | Promise<ContextOf<A>> }

/** The argument itself: optional unless a tool asks for a context. */
export type DurableArguments<A extends AnyAgent, Options> =
  Record<never, never> extends ContextOption<A>
    ? [options?: Options & ContextOption<A>]
    : [options: Options & ContextOption<A>]

type ContextOf<A extends AnyAgent> =
  NonNullable<Parameters<A['run']>[1]> extends { readonly context: infer Context } ? Context : unknown

/** An agent whose runs outlast the processes that start and work on them. */
export interface DurableAgent<Result extends AnyRunResult = AnyRunResult> {
  readonly name: string
  /**
   * Starts a run, or finds the one of this id, and waits until it has ended or waits for decisions.
   * @throws CapstanError as `agent.run` does, with the run's state; `conflict` when the id is of a run with another input
   */
  run(input: RunInput, options?: DurableRunOptions): Promise<Result>
  /** The same, with its events while it is worked on. */
  stream(input: RunInput, options?: DurableRunOptions): DurableRun<Result>
  /** Starts a run and waits for nothing but that it is kept. Gives its id. */
  start(input: RunInput, options?: DurableRunOptions): Promise<string>
  /** Waits until a run has ended or waits for decisions, wherever it was started. @throws CapstanError `not_found`, or what the run failed with */
  result(runId: string): Promise<Result>
  /** Where a run stands. @throws CapstanError `not_found` */
  status(runId: string): Promise<RunStatus>
  /**
   * Decides on a call, also before it waits and while no worker is up. The same decision twice is one.
   * @throws CapstanError `invalid_request` or `invalid_arguments` for what cannot be carried out; `conflict` for another
   * decision on that call, or when the tools have changed since and nobody works on the old ones; `not_found`
   */
  decide(runId: string, callId: string, decision: Decision): Promise<void>
  /** Ends a run at its next step, those within it as well. One that has ended stays as it is. @throws CapstanError `not_found` */
  abort(runId: string, reason?: string): Promise<void>
  /** Lets go of what it is connected to. Runs go on. */
  close(): Promise<void>
}

/** How a run is started. */
export interface DurableRunOptions extends Omit<PrepareOptions, 'decisions'> {
  /** Said of the run, and given to what makes its context: plain JSON. */
  readonly data?: Json
  /** Nobody can be asked in this run: calls that need a yes are denied. Default false. */
  readonly unattended?: boolean
}

/** A run while it is worked on, somewhere. Iterate it for what it tells from now on: lossy, and not kept. */
export interface DurableRun<Result extends AnyRunResult> extends AsyncIterable<RunEvent> {
  readonly runId: string
  /** As `run` gives it. Never an unhandled rejection. */
  readonly result: Promise<Result>
}

/** Where a run stands. */
export interface RunStatus {
  readonly runId: string
  /**
   * `queued`: no worker has it. `running`. `pending`: it waits for decisions, and nobody holds it. `ended`: see
   * `stopReason`. `failed`: see `error`. `set_aside`: it was begun too often without coming to an end.
   */
  readonly phase: 'queued' | 'running' | 'pending' | 'ended' | 'failed' | 'set_aside'
  readonly stopReason?: StopReason
  /** Why it was aborted, where somebody said. */
  readonly reason?: string
  /** Answers of the model so far, and what the run has used, as of the last time it was kept. */
  readonly steps?: number
  readonly usage?: Usage
  readonly pending: readonly PendingCall[]
  readonly error?: { readonly code: string; readonly message: string }
  /** How often a worker took up what it is doing now. */
  readonly attempts: number
  /** Who has it, or had it last. */
  readonly worker?: string
  /** The version of the program that works on it. */
  readonly version?: string
}

/** The program that waited is closing. */
export function clientClosed(runId: string): CapstanError {
  return new CapstanError('stopped', `Nobody waits any longer for the run "${runId}": it was let go of.`)
}
