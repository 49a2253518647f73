import type { ArtifactStore } from '../artifacts/artifact.js'
import type { PriceTable } from '../usage.js'
import type { Emit } from './event.js'
import type { ChatModel } from './model.js'
import type { Decision, Limits, PendingCall, RunState } from './state.js'

/**
 * The host of a run: the loop awaits nothing else. The default host keeps everything in memory. A durable host records
 * each step's value under its key and returns the recorded value when the run is repeated.
 */
export interface RunHost {
  step<T>(step: Step<T>): Promise<T>
  /** Starts the steps in array order and waits for all of them. This is the only join. */
  all<T>(steps: readonly Step<T>[]): Promise<Settled<T>[]>
  /** Waits for a value from outside, such as the decision on a call. Undefined ends the run as pending. */
  waitFor<T>(key: string, options?: WaitOptions): Promise<T | undefined>
  now(): Promise<number>
  id(key: string): Promise<string>
  sleep(key: string, ms: number): Promise<void>
  /** Saves the state between two steps, if states are saved. */
  checkpoint?(): Promise<void>
  /** The part that retries failed model calls. */
  readonly retries: 'core' | 'host'
}

/** One model call, tool call or sub-agent. It resolves to JSON. */
export type Step<T> = HostStep<T> | ChildStep<T>

export interface HostStep<T> {
  /** Unique in the run and stable across repetitions: `step0/request`, `step0/call2`. */
  readonly key: string
  run(context: StepContext): Promise<T>
  readonly options?: StepOptions
}

export interface ChildStep<T> {
  readonly key: string
  readonly child: {
    readonly agent: string
    readonly state: RunState
    /** The tool call that the child run answers. Its events and pending calls carry this id. */
    readonly callId: string
  }
  /**
   * Returns the step's value for the child's final state. Deterministic, so it may be called again. May store text that
   * is too long as an artifact.
   */
  settle(state: RunState): T | Promise<T>
}

export interface StepContext {
  /** `runId/key`: stable across repetitions, for services that deduplicate. Tools get the key of their call instead. */
  readonly idempotencyKey: string
  readonly signal: AbortSignal
  /**
   * Awaited right before a tool's function starts, after its `tool-start`. A host can check here that it still owns the
   * run.
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
  /** Default: the current step. */
  readonly step?: number
}

export interface WaitOptions {
  /** The call that needs a decision. */
  readonly call?: PendingCall
}

export type Settled<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: unknown }

/** Selects the model of a run instead of an agent's own. */
export type ModelOverride = (own: ChatModel, agent: string) => ChatModel

/** The context of one run, passed to its host. */
export interface HostContext {
  readonly runId: string
  /** Agents available to child steps, by name. */
  readonly agents: ReadonlyMap<string, ChildRunner>
  readonly context: unknown
  readonly signal: AbortSignal
  readonly emit: Emit
  /** The store of the run's artifacts. */
  readonly artifacts: ArtifactStore
  /** The prices for counting costs. */
  readonly prices?: PriceTable | undefined
  /** Replaces the model of an agent. Default: its own. */
  readonly modelOf?: ModelOverride | undefined
  /** Middlewares of parent runs that child runs also have (`childRuns`). */
  readonly inherited?: readonly unknown[] | undefined
  /** Whether replies of models are streamed. */
  readonly stream?: boolean
  /** Whether states may be resumed even if their agents' tools have changed. Default false. */
  readonly allowChangedTools?: boolean | undefined
  /** Whether nobody can approve calls: calls that need approval are denied. Default false. */
  readonly unattended?: boolean | undefined
  /** Policies of the run, in addition to those of the agents. */
  readonly policy?: unknown
  /** Whether the agents' own observers are skipped. Default false. */
  readonly silent?: boolean | undefined
  /**
   * Waits for the caller's decision on a pending call. Resolves with undefined on abort. Absent if the run does not
   * wait: it ends as pending.
   */
  readonly decided?: (call: PendingCall) => Promise<Decision | undefined>
  /** Creates the hosts of child runs. Default: in memory. */
  readonly hostWithin?: CreateHost
}

/** An agent as seen by a host: it creates states and runs them to their end. */
export interface ChildRunner {
  readonly name: string
  /** Returns the state of a new run of this agent. */
  start(input: string, run: { readonly runId: string; readonly limits: Limits }): RunState
  proceed(state: RunState, binding: HostContext): Promise<RunState>
}

export type CreateHost = (binding: HostContext) => RunHost
