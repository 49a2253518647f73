import type { ChatModel } from '../ask/model.js'
import type { Instructions, PrepareStep, ToolChoice } from '../run/walk.js'
import type { AnyTool, ContextOf } from '../tool/types.js'
import type { ArtifactStore } from '../words/artifact.js'
import type { RunEvent } from '../words/event.js'
import type { BindHost } from '../words/host.js'
import type { Limits } from '../words/state.js'
import type { Attachment } from './attach.js'

/** Takes every event of a run, at once. What it throws becomes a process warning and does not disturb the run. */
export type Observer = (event: RunEvent) => void

export interface AgentOptions<Tools extends readonly AnyTool[]> {
  /** Default `agent`. Shown in events, kept in states. */
  readonly name?: string
  /** A model's name, for the service that the environment names, or a model. */
  readonly model: string | ChatModel
  /** The system message. */
  readonly instructions?: Instructions<ContextOf<Tools>>
  readonly tools?: Tools
  /** Default `auto`. A forced tool is forced once, then the model is free: else it would never end. */
  readonly toolChoice?: ToolChoice
  readonly limits?: Partial<Limits>
  readonly prepareStep?: PrepareStep<ContextOf<Tools>>
  /**
   * `safe` mends arguments where there is one way to read them: a code fence, a trailing comma, Python's literals,
   * `"1"` for a number, `null` for what is optional, one value for a list. Default: they go back to the model.
   */
  readonly repair?: 'safe'
  /** Calls that run at one time in a run. Default 8. */
  readonly concurrency?: number
  readonly observe?: Observer
  /** Where artifacts live. Default: in memory, as long as the agent. */
  readonly artifacts?: ArtifactStore
  /** Further fields of every request, such as `temperature`. */
  readonly settings?: Readonly<Record<string, unknown>>
}

/** Options of a run; `context` must be given when a tool asks for one. */
export type RunOptions<Context = unknown> = CommonRunOptions &
  (unknown extends Context ? { readonly context?: Context } : { readonly context: Context })

/** What every run takes, whatever its context. */
export interface CommonRunOptions {
  readonly signal?: AbortSignal
  /** Further tools, for this run alone. */
  readonly tools?: readonly AnyTool[]
  /** Things of the user's: they become artifacts, and references at the end of the user's message. */
  readonly attachments?: readonly Attachment[]
  readonly limits?: Partial<Limits>
  readonly observe?: Observer
  readonly settings?: Readonly<Record<string, unknown>>
  /** Default: random. */
  readonly runId?: string
  /** Who runs the steps. Default: this process, in memory. */
  readonly host?: BindHost
}

/** The argument itself: optional unless a tool asks for a context. */
export type OptionsArgument<Context, Further = unknown> = unknown extends Context
  ? [options?: RunOptions<Context> & Further]
  : [options: RunOptions<Context> & Further]
