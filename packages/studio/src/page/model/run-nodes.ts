import type { Artifact, Decision, LimitName, PendingCall, RunEvent, StopReason, Usage } from '@capstan/core'
import type { CutValue } from '../../types.js'

/** A row's state. The page shows it as a word and a symbol. */
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
  /** An id that is unique in the run and stays the same after a reload, because the page's URL contains it. */
  readonly id: string
  readonly parent: ParentNode | undefined
  readonly children: RunNode[]
  /** The time since the run started, in milliseconds. */
  start: number
  end?: number
  status: Status
}

/** The run itself. It has no row. Its children are the rows at the first level. */
export interface RootNode extends NodeBase {
  readonly kind: 'root'
  agent: string
  usage?: Usage
  stopReason?: StopReason | 'error'
  limit?: LimitName
  rounds: number
}

/** A reply from the model. Its children are its requests and calls. */
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
  /** The run's usage at the end of this step. `tokens` and `cost` are for this step only. */
  usage?: Usage
  tokens?: number
  cost?: number | 'unknown'
  /** The number of the state from which a fork of this step starts. Absent for steps of child runs. */
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
  /** The arguments in the form in which the model wrote them. */
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
  /** The units that the tool reported as billed, such as images. */
  spent?: EventOf<'tool-end'>['spent']
  cost?: EventOf<'tool-end'>['cost']
  /** Whether the tool runs in the background, after the model has been told that it started. */
  isBackground?: boolean
  /** Whether the call runs a program (`@capstan/code`). */
  isProgram?: boolean
  /** The source code of a saved program. The source of any other program is in the arguments. */
  source?: string
  /** The name of the agent that this call runs. */
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

/** A request to a model. Its bytes are in the exchange with the number `exchange`. */
export interface RequestNode extends NodeBase {
  readonly kind: 'request'
  readonly exchange: number
  headersAt?: number
  firstByteAt?: number
}

/** An event with its own row. */
export interface NoteNode extends NodeBase {
  readonly kind: 'note'
  readonly title: string
  readonly text: string
  /** The event, or the content of its entry. */
  readonly data: unknown
  /** The id of the call that the event is about, if any. */
  readonly callId?: string
}

/** The end of the run or of one of its rounds. */
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
