// The types that a feature adds to a middleware: options, and hooks at the start and end of a run.

import type { Artifact, ArtifactStore } from '../artifacts/artifact.js'
import type { ModelSettings } from '../model/request-body.js'
import type { OptionKind } from '../option-names.js'
import type { SlotScheduler } from '../tools/concurrency.js'
import type { ToolSettings } from '../tools/tool-options.js'
import type { RunEvent } from '../types/event.js'
import type { Message } from '../types/message.js'
import type { ChatModel, OutputSchema } from '../types/model.js'
import type {
  AnyStep,
  CallRecord,
  Decision,
  Decisions,
  Limits,
  PendingCall,
  RunState,
} from '../types/state.js'
import type { Usage } from '../usage.js'
import type { AnyTool, Middleware, ToolChoice, Toolset } from './middleware.js'

/** The input of a run: text, a conversation, or the state of a run to resume. */
export type RunInput = string | readonly Message[] | RunState

/** Option names, each with the kind of value that the option accepts. */
export type OptionKinds = Readonly<Record<string, OptionKind>>

/** A middleware that can also read options, and take part in how a run starts and ends. */
export interface Feature<Context = unknown, Tools extends readonly AnyTool[] = readonly AnyTool[]>
  extends Middleware<Context, Tools> {
  /**
   * Whether the feature's hooks are nested inside the agent's own `middleware`, instead of around it. Default false.
   */
  readonly isInner?: boolean
  /** The agent options that the feature reads. An option that no feature reads is an error. */
  readonly agentOptions?: OptionKinds
  /** The run options that the feature reads. */
  readonly runOptions?: OptionKinds
  /** Tool settings that have no effect without this feature. */
  readonly toolSettings?: readonly (keyof ToolSettings)[]
  /**
   * Returns the middleware for an agent with these options; undefined if the options do not enable it. Default: the
   * feature itself.
   */
  forAgent?(options: GivenOptions): Middleware | undefined
  /** Returns a middleware for one run, nested inside the agents' own middlewares. Default: none. */
  forRun?(options: GivenOptions): Middleware | undefined
  /** Returns the input's messages with the feature's changes. Called before the run starts. */
  prepareInput?(input: GivenInput): Promise<readonly Message[]>
  /** Checks a stored state, and returns the state to continue from. Default: states are rejected. */
  readState?(given: RunState, resume: ResumeRequest): RunState
  /**
   * Checks decisions before they are applied. Default: rejects every decision.
   * @throws CapstanError for a decision that cannot be applied
   */
  checkDecisions?(
    decisions: Decisions,
    pending: readonly PendingCall[],
    toolsetOf: (call: PendingCall) => Toolset,
  ): Promise<void>
  /** Creates the scheduler for an agent's calls. Default: limits concurrent calls per run and per tool. */
  createScheduler?(concurrency: number): SlotScheduler
  /** Creates the stream that `agent.stream` returns. */
  stream?<Result>(
    start: (run: Caller) => Promise<Result>,
    options: GivenOptions,
    agent: {
      readonly outputSchema: OutputSchema | undefined
      /** @throws CapstanError for a decision that cannot be applied */
      checkDecision(call: PendingCall, decision: Decision): Promise<void>
    },
  ): Run<Result>
}

/**
 * Options by name. The kind of each value has been checked; each feature declares the exact types of its own options.
 */
export type GivenOptions = { readonly [option: string]: unknown }

/** The input of a run that is about to start. */
export interface GivenInput {
  readonly messages: readonly Message[]
  /** The number of leading messages that are already stored and must not change. */
  readonly from: number
  readonly options: GivenOptions
  readonly artifacts: ArtifactStore
}

/** A run that is about to start. */
export interface GivenStart {
  readonly input: RunInput
  /** The number of messages before the input that are already stored. */
  readonly known: number
  /** The innermost middleware of the run's agents. Default: none. */
  readonly middleware?: Middleware | undefined
}

/** A request to continue from a state, with the hash of the agent's definition and the caller's options. */
export interface ResumeRequest {
  readonly definitionHash: string
  /** The id of the resumed run. Default: the state's run id. */
  readonly runId?: string | undefined
  /** Limits that override the state's limits of the same name. */
  readonly limits?: Limits | undefined
  readonly options: GivenOptions
  /** Lets the middlewares of the state's agent change the state. */
  onResume(state: RunState, before: RunState): RunState
}

/** The signal and the callbacks that the caller passes to a run. */
export interface Caller {
  /** Aborts the run. */
  readonly signal: AbortSignal
  /** The innermost middleware of the run's agents, which observes the run and sends the caller's messages. */
  readonly middleware: Middleware
  /** Waits for the decision on a pending call. Absent if the run does not wait for decisions. */
  readonly decided?: ((call: PendingCall, signal: AbortSignal) => Promise<Decision | undefined>) | undefined
}

/** The type of a result's steps. */
export type StepOf<Result> = Result extends { readonly steps: readonly (infer Step extends AnyStep)[] }
  ? Step
  : AnyStep

export type EventOf<Type extends RunEvent['type'], Step extends AnyStep = AnyStep> = Extract<
  RunEvent<Step>,
  { type: Type }
>

/** Options for reading a run's events. */
export interface ReadOptions {
  /** The `seq` of the last event to skip. Default: reads from the first event that is kept. */
  readonly after?: number
  /** Stops reading when it aborts. */
  readonly signal?: AbortSignal
}

/**
 * A run in progress. The run starts on the next microtask, and continues even if nothing reads it. Iterate over the run
 * to receive all its events: once, or several times with `keepEvents`.
 */
export interface Run<Result> extends AsyncIterable<RunEvent<StepOf<Result>>> {
  /** The agent's output schema as models receive it, for `partialOutput(run)`. */
  readonly outputSchema: OutputSchema | undefined
  /**
   * Resolves when the run has ended; rejects with the run's error. You can ignore the rejection. A failure becomes a
   * process warning only if you neither read the run, nor listen for `run-end`, nor await the result.
   */
  readonly result: Promise<Result>
  /**
   * The text of this agent's replies as it is streamed, without the text of child runs. If a reply is retried, its text
   * is streamed again.
   */
  readonly textStream: AsyncIterable<string>
  /** Calls `listener` with every event of one type. */
  on<Type extends RunEvent['type']>(
    type: Type,
    listener: (event: EventOf<Type, StepOf<Result>>) => void,
  ): this
  /**
   * Stops the run: it ends with `stopReason: 'aborted'`, the reason as `abortReason`, and a state to resume from. The
   * default reason is an `AbortError`.
   */
  abort(reason?: unknown): void
  /**
   * Sends a user message to the model with the next request; a `message-delivered` event reports it. A message that
   * arrives too late is in the result's `undelivered`.
   * @throws CapstanError `invalid_request` if the text is empty
   */
  send(text: string): void
  /**
   * Decides on a pending call, after its `call-pending` event. A step's calls start when all of them have been decided.
   * @throws CapstanError `invalid_request` or `invalid_arguments`; the call stays pending
   */
  decide(callId: string, decision: Decision): Promise<void>
  /**
   * Reads the events until the run ends. If the run fails, throws its error.
   * @throws CapstanError `not_found` if events to read are no longer kept; TypeError for a second reader without
   * `keepEvents`
   */
  read(options?: ReadOptions): AsyncIterableIterator<RunEvent<StepOf<Result>>>
  /** Reads the events, starting with the first one that is kept. */
  [Symbol.asyncIterator](): AsyncIterableIterator<RunEvent<StepOf<Result>>>
}

// The types of options that features read.

/** A file from the user. The file is stored as an artifact, and the conversation contains a reference to it. */
export type Attachment =
  | Uint8Array
  | Blob
  | ((Artifact | { readonly path: string } | { readonly data: Uint8Array | Blob }) & {
      /**
       * Whether someone other than the user wrote the file, as with an email. If so, this run counts as having read
       * untrusted text, and so does each later run that reads the same bytes from this store. Default false. Artifacts
       * from an untrusted source are always untrusted.
       */
      readonly untrusted?: boolean
    })

/** Changes one request before it is sent. */
export type PrepareStep<Context> = (
  step: StepView<Context>,
) => StepChanges | void | Promise<StepChanges | void>

export interface StepView<Context> {
  /** The number of this request within the run, starting at 0. */
  readonly step: number
  readonly messages: readonly Message[]
  readonly toolCalls: readonly CallRecord[]
  readonly context: Context
}

export interface StepChanges {
  readonly model?: ChatModel
  /** The names of the tools to offer; `[]` offers none. */
  readonly tools?: readonly string[]
  readonly toolChoice?: ToolChoice
  readonly instructions?: string
  /** Settings for this request, which override the run's and the agent's settings of the same name. */
  readonly settings?: ModelSettings
}

/** Returns whether a run stops. Called after each step; must be a pure function of its argument. */
export type StopCondition = (progress: Progress) => boolean

/** The progress of a run, passed to a stop condition. */
export interface Progress {
  /** The number of replies so far. */
  readonly stepCount: number
  /** The calls that have finished since this run started or was resumed. */
  readonly toolCalls: readonly CallRecord[]
  readonly usage: Usage
}
