import type { ArtifactStore } from '../artifacts/artifact.js'
import type { PriceTable } from '../usage.js'
import type { Emit } from './event.js'
import type { ChatModel } from './model.js'
import type { Decision, Limits, PendingCall, RunState } from './state.js'

/**
 * What runs a run: the loop awaits nothing else. The default keeps all in memory; a durable host records
 * each step's value under its key and gives the recorded value back when the run is repeated.
 */
export interface RunHost {
  step<T>(step: Step<T>): Promise<T>
  /** Starts the steps in array order and waits for all. The only join. */
  all<T>(steps: readonly Step<T>[]): Promise<Settled<T>[]>
  /** A value given from outside, such as the decision on a call, or undefined: the run ends as pending. */
  waitFor<T>(key: string, options?: WaitOptions): Promise<T | undefined>
  now(): Promise<number>
  id(key: string): Promise<string>
  sleep(key: string, ms: number): Promise<void>
  /** Who repeats a failed model call. */
  readonly retries: 'core' | 'host'
}

/** One model call, one tool call, or one sub-agent. What it resolves to is JSON. */
export type Step<T> = RunStep<T> | ChildStep<T>

export interface RunStep<T> {
  /** Unique in the run, the same in every repetition: `t0/model`, `t0/tool2`. */
  readonly key: string
  run(context: StepContext): Promise<T>
  readonly options?: StepOptions
}

export interface ChildStep<T> {
  readonly key: string
  readonly child: {
    readonly agent: string
    readonly state: RunState
    /** The call that it answers: its events and pending calls are told by it. */
    readonly callId: string
  }
  /**
   * The step's value from the child's final state: the same each time, so that it may be asked for again. It may store
   * words that are too long as an artifact.
   */
  settle(state: RunState): T | Promise<T>
}

export interface StepContext {
  /** `runId/key`: the same in every repetition, for services that drop doubles. */
  readonly idempotencyKey: string
  readonly signal: AbortSignal
}

export interface StepOptions {
  readonly kind: 'model' | 'tool' | 'message'
  /** Name of the model or tool. */
  readonly name: string
  /** Of a tool: the call that is answered. */
  readonly callId?: string
}

export interface WaitOptions {
  /** The call that waits for a decision. */
  readonly call?: PendingCall
}

export type Settled<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: unknown }

/** Which model a run asks in place of one of an agent's. */
export type ModelOverride = (own: ChatModel, agent: string) => ChatModel

/** What a host is given for one run. */
export interface HostContext {
  readonly runId: string
  /** Agents that child steps may name. */
  readonly agents: ReadonlyMap<string, ChildAgent>
  readonly context: unknown
  readonly signal: AbortSignal
  readonly emit: Emit
  /** Where the run's artifacts live. */
  readonly artifacts: ArtifactStore
  /** By which its costs are counted. */
  readonly prices?: PriceTable | undefined
  /** The model that is asked in place of an agent's own. Default: its own. */
  readonly modelOf?: ModelOverride | undefined
  /** Whether answers of models are streamed. */
  readonly stream?: boolean
  /** Whether states may be gone on with though the tools of their agents have changed since. Default false. */
  readonly allowChangedTools?: boolean | undefined
  /** Whether nobody can be asked for a yes: calls that need one are denied. Default false. */
  readonly unattended?: boolean | undefined
  /** Whether agents' own observers are left alone. Default false. */
  readonly silent?: boolean | undefined
  /** Waits for the caller's decision on a call, where the run waits; undefined when it is aborted. */
  readonly decided?: (call: PendingCall) => Promise<Decision | undefined>
  /** Makes the hosts of the runs within this one. Default: in memory. */
  readonly hostWithin?: CreateHost
}

/** An agent as a host sees it: it begins a state, and drives one to its end. */
export interface ChildAgent {
  readonly name: string
  /** The state of a run of it that has not begun. */
  start(input: string, run: { readonly runId: string; readonly limits: Limits }): RunState
  proceed(state: RunState, binding: HostContext): Promise<RunState>
}

/** Makes the host of one run. */
export type CreateHost = (binding: HostContext) => RunHost
