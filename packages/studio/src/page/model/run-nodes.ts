import type { Artifact, Decision, LimitName, PendingCall, RunEvent, StopReason, Usage } from '@capstan/core'
import type { CutValue } from '../../types.js'

/** The state of a row, shown as a word and a symbol. */
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
  /** The row's id. It is stable within a run, because it is part of the page's URL. */
  readonly id: string
  readonly parent: ParentNode | undefined
  readonly children: RunNode[]
  /** Milliseconds since the run started. */
  start: number
  end?: number
  status: Status
}

/** The run itself. It is not a row: its children are the first level. */
export interface RootNode extends NodeBase {
  readonly kind: 'root'
  agent: string
  usage?: Usage
  stopReason?: StopReason | 'error'
  limit?: LimitName
  rounds: number
}

/** One model reply, with its calls below. */
export interface StepNode extends NodeBase {
  readonly kind: 'step'
  readonly step: number
  agent: string
  /** The text streamed so far; the full text once the reply is complete. */
  text: string
  reasoning: string
  /** Calls while they are written. */
  drafts: { readonly callId: string; readonly name: string; arguments: string }[]
  repliedAt?: number
  /** The run's usage up to the end of this step. `tokens` and `cost` count only this step. */
  usage?: Usage
  tokens?: number
  cost?: number | 'unknown'
  /** The number of the state before this step. Steps of child runs have none. */
  checkpoint?: number
  message?: unknown
  omitted?: readonly string[]
  artifacts: Artifact[]
  replayed: string[]
  /** The number of the entry that has the reply. */
  seq: number
}

/** A tool call. If an agent runs it, the agent's steps are its children; if it is a program, the program's calls. */
export interface CallNode extends NodeBase {
  readonly kind: 'call'
  readonly callId: string
  readonly name: string
  /** The call's index in the step. */
  readonly index: number
  readyAt: number
  startedAt?: number
  ms?: number
  /** The arguments as the model wrote them. */
  argumentsText?: string | CutValue
  /** The arguments as the function got them. */
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
  /** The paid units that the call reported. */
  spent?: EventOf<'tool-end'>['spent']
  cost?: EventOf<'tool-end'>['cost']
  /** Whether the model has received a reply while the function still runs. */
  isBackground?: boolean
  /** Whether the call runs a program. */
  isProgram?: boolean
  /** The source of a saved program. Other programs have it in their arguments. */
  source?: string
  /** The name of the agent that answers the call. */
  agent?: string
  /** The entries with its arguments and its end. */
  seqs: { arguments?: number; end?: number }
}

/** A line that a program printed. */
interface ConsoleLine {
  readonly level: 'log' | 'info' | 'warn' | 'error'
  readonly text: string
  readonly t: number
}

/** An HTTP request to a model. Its bytes are an exchange of the run. */
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
  /** The event, or the entry's content. */
  readonly data: unknown
  /** The id of the call, if the event is about one. */
  readonly callId?: string
}

/** The end of the run or of a round. */
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
