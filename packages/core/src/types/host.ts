import type { ArtifactStore } from '../artifacts/artifact.js'
import type { PriceTable } from '../usage.js'
import type { Emit } from './event.js'
import type { ChatModel } from './model.js'
import type { Decision, Limits, PendingCall, RunState } from './state.js'

/**
 * Executes a run's steps; the loop awaits nothing else. The default host keeps everything in memory. A durable host
 * records each step's value under its key, and returns the recorded value when the run is replayed.
 */
export interface RunHost {
  step<T>(step: Step<T>): Promise<T>
  /**
   * Starts the steps in array order and waits for all of them. The loop runs steps concurrently only through this
   * method.
   */
  all<T>(steps: readonly Step<T>[]): Promise<Settled<T>[]>
  /**
   * Waits for a value from outside, such as the decision on a call. If it resolves to undefined, the run ends as
   * `pending`.
   */
  waitFor<T>(key: string, options?: WaitOptions): Promise<T | undefined>
  now(): Promise<number>
  id(key: string): Promise<string>
  sleep(key: string, ms: number): Promise<void>
  /** Saves the run's state between two steps. Absent if states are not saved. */
  checkpoint?(): Promise<void>
  /** Whether Capstan itself or the host retries failed model requests. */
  readonly retries: 'core' | 'host'
}

/** One model request, tool call or child run, which resolves to JSON. */
export type Step<T> = HostStep<T> | ChildStep<T>

export interface HostStep<T> {
  /** Unique in the run, and the same when the run is replayed: `step0/request`, `step0/call2`. */
  readonly key: string
  run(context: StepContext): Promise<T>
  readonly options?: StepOptions
}

export interface ChildStep<T> {
  readonly key: string
  readonly child: {
    readonly agent: string
    readonly state: RunState
    /** The id of the tool call that starts the child run. The child's events and pending calls contain the id. */
    readonly callId: string
  }
  /**
   * Returns the step's value for the child's final state. Always returns the same value for the same state, so a host
   * may call it again. May store long text as an artifact.
   */
  settle(state: RunState): T | Promise<T>
}

export interface StepContext {
  /**
   * `runId/key`, which is the same when the step is repeated. Pass this key to services that detect duplicates. Tools
   * get their call's key instead.
   */
  readonly idempotencyKey: string
  readonly signal: AbortSignal
  /**
   * Awaited right before a tool's function starts, after its `tool-start` event. In this method, a host can check that
   * it still owns the run.
   */
  begin?(): Promise<void>
}

export interface StepOptions {
  readonly kind: 'model' | 'tool' | 'message'
  /** The name of the model or tool. */
  readonly name: string
  /** The id of the call, for tool steps. */
  readonly callId?: string
}

/** Options of a step that a middleware runs. */
export interface HostStepOptions extends StepOptions {
  /** The step number. Default: the current step. */
  readonly step?: number
}

export interface WaitOptions {
  /** The call that needs a decision. */
  readonly call?: PendingCall
}

export type Settled<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: unknown }

/** Returns the model to use instead of an agent's own model. */
export type ModelOverride = (own: ChatModel, agent: string) => ChatModel

/** The context of one run, passed to its host. */
export interface HostContext {
  readonly runId: string
  /** The agents that child steps can run, by name. */
  readonly agents: ReadonlyMap<string, ChildRunner>
  readonly context: unknown
  readonly signal: AbortSignal
  readonly emit: Emit
  /** The store for the run's artifacts. */
  readonly artifacts: ArtifactStore
  /** The prices that costs are calculated from. */
  readonly prices?: PriceTable | undefined
  /** Replaces an agent's model. Default: its own. */
  readonly modelOf?: ModelOverride | undefined
  /** Middlewares of parent runs that also apply to child runs (`childRuns`). */
  readonly inherited?: readonly unknown[] | undefined
  /** Whether model replies are streamed. */
  readonly stream?: boolean
  /** Whether states may be resumed even if their agents' tools have changed. Default false. */
  readonly allowChangedTools?: boolean | undefined
  /** Whether nobody can approve calls. If so, calls that need approval are denied. Default false. */
  readonly unattended?: boolean | undefined
  /** The run's own policies, in addition to the agents' policies. */
  readonly policy?: unknown
  /** Whether the agents' own observers are skipped. Default false. */
  readonly silent?: boolean | undefined
  /**
   * Waits for the caller's decision on a pending call. Resolves to undefined on abort. Absent if the run does not wait
   * for decisions, but ends as `pending`.
   */
  readonly decided?: (call: PendingCall) => Promise<Decision | undefined>
  /** Creates the hosts of child runs. Default: hosts that keep everything in memory. */
  readonly hostWithin?: CreateHost
}

/** An agent as a host sees it: it creates states and runs them to the end. */
export interface ChildRunner {
  readonly name: string
  /** Returns the state of a new run of this agent. */
  start(input: string, run: { readonly runId: string; readonly limits: Limits }): RunState
  proceed(state: RunState, binding: HostContext): Promise<RunState>
}

export type CreateHost = (binding: HostContext) => RunHost
