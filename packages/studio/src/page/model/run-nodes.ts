import type { Artifact, Decision, LimitName, PendingCall, RunEvent, StopReason, Usage } from '@capstan/core'
import type { CutValue } from '../../types.js'

/** A row's state, which is shown as a word and a symbol. */
export type Status =
  | 'running'
  | 'ok'
  | 'error'
  | 'rejected'
  | 'denied'
  | 'cut_off'
  | 'not_run'
  | 'waiting'
  | 'note'
  | 'problem'

interface NodeBase {
  /** Unique in the run, and the same after a reload, because the page's URL contains it. */
  readonly id: string
  readonly parent: ParentNode | undefined
  readonly children: RunNode[]
  /** Milliseconds since the run started. */
  start: number
  end?: number
  status: Status
}

/** The run itself. It has no row: its children are the rows of the first level. */
export interface RootNode extends NodeBase {
  readonly kind: 'root'
  agent: string
  usage?: Usage
  stopReason?: StopReason | 'error'
  limit?: LimitName
  rounds: number
}

/** One reply of the model. Its requests and calls are its children. */
export interface StepNode extends NodeBase {
  readonly kind: 'step'
  readonly step: number
  agent: string
  /** The text that has been streamed so far, or the full text once the reply is complete. */
  text: string
  reasoning: string
  /** The calls that the model is still writing. */
  drafts: { readonly callId: string; readonly name: string; arguments: string }[]
  repliedAt?: number
  /** The run's usage up to the end of this step. `tokens` and `cost` are for this step only. */
  usage?: Usage
  tokens?: number
  cost?: number | 'unknown'
  /** The number of the state that a fork of this step starts from. Absent for steps of child runs. */
  checkpoint?: number
  message?: unknown
  omitted?: readonly string[]
  artifacts: Artifact[]
  replayed: string[]
  /** The `seq` of the entry that contains the reply. */
  seq: number
}

/** A tool call. Its children are the steps of the agent that it calls, or the calls that its program makes. */
export interface CallNode extends NodeBase {
  readonly kind: 'call'
  readonly callId: string
  readonly name: string
  /** The call's position among the step's calls, starting at 0. */
  readonly index: number
  readyAt: number
  startedAt?: number
  ms?: number
  /** The arguments as the model wrote them. */
  argumentsText?: string | CutValue
  /** The arguments that the tool's function received. */
  arguments?: unknown
  content?: string | CutValue
  modelReads?: string | CutValue
  progress: unknown[]
  artifacts: Artifact[]
  repairs: string[]
  console: ConsoleLine[]
  pending?: PendingCall
  decision?: Decision
  errorId?: string
  /** The billed units that the tool reported, such as images. */
  spent?: EventOf<'tool-end'>['spent']
  cost?: EventOf<'tool-end'>['cost']
  /** Whether the tool is still running in the background, after the model has been told that it started. */
  isBackground?: boolean
  /** Whether the call runs a program (`@capstan/code`). */
  isProgram?: boolean
  /** The source code of a saved program. Other programs are in the arguments. */
  source?: string
  /** The name of the agent that runs as this call. */
  agent?: string
  /** The `seq` of the entries that contain the call's arguments and its result. */
  seqs: { arguments?: number; end?: number }
}

/** A line that was printed with `console` during a call. */
interface ConsoleLine {
  readonly level: 'log' | 'info' | 'warn' | 'error'
  readonly text: string
  readonly t: number
}

/** A request to a model. The run's exchange with the number `exchange` contains its bytes. */
export interface RequestNode extends NodeBase {
  readonly kind: 'request'
  readonly exchange: number
  headersAt?: number
  firstByteAt?: number
}

/** An event that has its own row. */
export interface NoteNode extends NodeBase {
  readonly kind: 'note'
  readonly title: string
  readonly text: string
  /** The event itself, or the content of its entry. */
  readonly data: unknown
  /** The id of the call that the event is about, if any. */
  readonly callId?: string
}

/** The end of the run, or of one of its rounds. */
export interface EndNode extends NodeBase {
  readonly kind: 'end'
  readonly stopReason: StopReason | 'error' | 'lost'
  text: string
  readonly data: unknown
}

export type RunNode = StepNode | CallNode | RequestNode | NoteNode | EndNode
export type ParentNode = RootNode | StepNode | CallNode

export type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>

/** Whether a value was too long to be sent with its entry. */
export function isCut(value: unknown): value is CutValue {
  const cut: unknown = Object(value).cut
  return typeof Object(cut).bytes === 'number' && typeof Object(cut).part === 'string'
}
