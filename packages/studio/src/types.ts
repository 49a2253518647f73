// Data of the studio: files of a run on disk, and bodies of the server's API. The page imports these types too.

import type {
  Artifact,
  Decisions,
  LimitName,
  Limits,
  Message,
  ModelReply,
  PendingCall,
  RunEvent,
  StopReason,
  ToolDefinition,
  Usage,
} from '@capstan/core'
import type { AgentInfo, FindingLevel, ToolFinding, ToolReport } from '@capstan/testing'
import type { RunComparison } from '@capstan/testing/recording'

/** `run.json`: the summary of a run. The file is replaced as a whole. */
export interface RunSummary {
  readonly schema: 1
  readonly id: string
  readonly kind: 'run' | 'tool-call' | 'check'
  readonly agent: string
  /** The first words of the input. */
  readonly title: string
  readonly status: 'running' | 'pending' | 'ended' | 'failed' | 'lost'
  readonly stopReason?: StopReason
  readonly limit?: LimitName
  readonly error?: { readonly code: string; readonly message: string }
  /** The start time, ISO 8601. */
  readonly startedAt: string
  readonly endedAt?: string
  /** The milliseconds of all rounds, without the time between them. */
  readonly workedMs: number
  readonly rounds: number
  readonly steps: number
  readonly toolCalls: number
  readonly usage: Usage
  readonly artifacts: readonly string[]
  /** The names of the called tools, for the list of runs. Absent if there are none. */
  readonly tools?: readonly string[]
  /** The previous run of the conversation. */
  readonly after?: string
  readonly fork?: { readonly run: string; readonly checkpoint: number; readonly change: string }
  readonly source: {
    readonly file?: string
    readonly version: number
    readonly program: 'studio' | 'keepRun'
    readonly pid: number
  }
  readonly models: readonly string[]
  readonly isLocalService?: boolean
  readonly isPinned?: boolean
  /** The mark of the studio folder whose programs stored the run. Absent if that folder's key could not be read. */
  readonly origin?: string
  /** Whether another studio stored the run: it starts nothing until the user allows it. Added when the file is read. */
  readonly isForeign?: true
}

/**
 * `options.N.json`: the options of round N that no recording contains. It never changes, because a later round repeats
 * them.
 */
export type RoundOptions = Pick<StartRun, 'settings' | 'limits' | 'instructions' | 'model'> & {
  readonly effects?: 'ask'
}

/** A line of `events.jsonl`. `seq` is its number; `t` counts milliseconds since the run started. */
export type Entry = { readonly seq: number; readonly t: number } & EntryContent

export type EntryContent =
  /** An event. Deltas of one kind are joined over 50 ms. */
  | { readonly event: RunEvent }
  | { readonly exchange: number; readonly is: 'sent' | 'headers' | 'first-byte' | 'ended' }
  | { readonly console: 'log' | 'info' | 'warn' | 'error'; readonly text: string; readonly callId?: string }
  | { readonly round: number; readonly decisions?: Decisions }
  /**
   * The number of a line in `checkpoints.jsonl`, from 0. `step` is the step of the next request, or of the open calls;
   * `openCalls` is their number.
   */
  | { readonly checkpoint: number; readonly step: number; readonly openCalls?: number }
  | { readonly lost: { readonly exitCode?: number; readonly signal?: string; readonly stderr?: string } }

/** A value that is too long to be sent with its entry. */
export interface CutValue {
  /** The size and the name of the value. `part` is `SEQ/PATH`: `GET /api/runs/ID/parts/SEQ/PATH` returns the full value. */
  readonly cut: { readonly bytes: number; readonly part: string }
}

/** A line of `wire.jsonl`: one request and its response. Times are milliseconds since the run started. */
export interface Exchange {
  readonly number: number
  /** The step's key: `step3/request`, `step1/child0/step0/request`, `step2/request/ask-0f3a`. */
  readonly at: string
  readonly attempt: number
  readonly url: string
  /** The request's headers, without secrets. */
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly status?: number
  readonly responseHeaders?: Readonly<Record<string, string>>
  readonly sentAt: number
  readonly headersAt?: number
  readonly firstByteAt?: number
  readonly firstTokenAt?: number
  readonly endedAt?: number
  /** The location of the request in `wire.bin`: bytes shared with an earlier exchange, then its own. */
  readonly request: {
    readonly sameAs?: { readonly exchange: number; readonly bytes: number }
    readonly offset: number
    readonly length: number
  }
  readonly response?: { readonly offset: number; readonly length: number }
  /** The arrival of each piece of the response: `[t, bytes]`. */
  readonly pieces: readonly (readonly [number, number])[]
  readonly notes: readonly ExchangeNote[]
  readonly reply?: ModelReply
  readonly error?: { readonly code: string; readonly message: string; readonly status?: number }
}

/** A part of a response that was interpreted differently from what was received. */
export interface ExchangeNote {
  readonly code: string
  /** The index of the call in the response, if the note is about one. */
  readonly call?: number
  /** The received text; at most 200 characters. */
  readonly from?: string
  /** The text that it was interpreted as; at most 200 characters. */
  readonly to?: string
  /** The last piece of the response before the note. */
  readonly piece: number
  /** The note in one sentence. The server adds it. */
  readonly sentence?: string
}

/** The response of `GET /api/studio`. */
export interface Studio {
  readonly version: string
  readonly file?: string
  readonly loaded?: { readonly version: number; readonly at: string; readonly ms: number }
  readonly loadError?: { readonly message: string; readonly place?: string; readonly frame?: string }
  readonly service?: 'local' | 'address'
  readonly agents: readonly {
    readonly name: string
    readonly model: string
    readonly tools: number
    readonly findings: Readonly<Record<FindingLevel, number>>
  }[]
  readonly durable: readonly { readonly name: string; readonly canList: boolean }[]
  readonly prompts: readonly string[]
  readonly disk: { readonly runs: number; readonly bytes: number }
}

/** The response of `GET /api/agents/NAME`. */
export interface AgentAnswer {
  readonly agent: AgentInfo
  readonly report: ToolReport
}

/** The body of `POST /api/runs`. */
export interface StartRun {
  readonly agent: string
  readonly input?: string
  /** The run whose conversation continues. */
  readonly after?: string
  /** Ids of artifacts. */
  readonly attachments?: readonly string[]
  readonly fork?: ForkRequest
  readonly settings?: Readonly<Record<string, unknown>>
  readonly limits?: Limits
  readonly instructions?: string
  /** A model name at the base URL of the environment. */
  readonly model?: string
  /** Default: `run`; in a fork `ask`. With `ask`, calls need an approval unless their tools only read. */
  readonly effects?: 'run' | 'ask'
}

export interface ForkRequest {
  readonly run: string
  readonly checkpoint: number
  /** The changed messages. Messages after the last changed one are omitted. */
  readonly messages?: readonly {
    readonly index: number
    readonly content?: unknown
    readonly calls?: readonly {
      readonly callId: string
      readonly arguments?: string
      readonly isLeftOut?: boolean
    }[]
  }[]
}

/** An item of the response of `GET /api/tools`. */
export interface ToolInfo {
  readonly definition: ToolDefinition
  readonly agents: readonly string[]
  readonly settings: {
    readonly effects: 'read' | 'writes' | 'unknown'
    readonly needsApproval: boolean | 'depends'
    readonly timeoutMs?: number
    readonly untrusted?: boolean
    readonly show?: boolean
    readonly returnDirect?: boolean
  }
  /** The estimated tokens of the definition in every request. */
  readonly tokens: number
  readonly findings: readonly ToolFinding[]
  readonly examples: readonly { readonly kind: string; readonly arguments: unknown }[]
  readonly hasFunction: boolean
}

/** An item of the response of `GET /api/inbox`: a pending call. */
export interface InboxCall {
  readonly source: 'studio' | 'durable'
  readonly agent: string
  readonly run: string
  readonly call: PendingCall
  /** The run's title, and the model's text before the call. */
  readonly about: string
  readonly since: string
  /** The JSON Schema of the arguments. */
  readonly schema?: unknown
}

/** The response of `GET /api/lineage`. */
export interface Lineage {
  readonly nodes: readonly Artifact[]
  readonly edges: readonly {
    readonly from: string
    readonly to: string
    readonly tool: string
    readonly callId: string
    readonly run: string
  }[]
}

/** The export `studio` of a file, in addition to its agents. */
export interface StudioSettings<Context = unknown> {
  /** Returns the context for runs and calls. */
  readonly context?: () => Context | Promise<Context>
  /** Prompts to offer in an empty chat. */
  readonly prompts?: readonly string[]
}

/** The events of `GET /api/live?run=ID&after=SEQ`: each by its name, with its data as JSON. */
export interface LiveEvents {
  /** Sent first and after each change: a new version, or an error while loading the file. */
  readonly studio: Studio
  /** Summaries that are new or changed, and the ids of removed runs. */
  readonly runs: { readonly changed: readonly RunSummary[]; readonly removed: readonly string[] }
  /** All pending calls. */
  readonly inbox: readonly InboxCall[]
  /** Entries of the run in the query, in order. The event's `id` is the last `seq`. */
  readonly entries: readonly Entry[]
}

/** The response of `GET /api/comparison?a=ID&b=ID`: the comparison of two runs' recordings, step by step. */
export type Comparison = RunComparison

/**
 * The response of `GET /api/runs/ID/states/N`: the messages at checkpoint N, redacted. Checkpoint 0 ends with the run's
 * input.
 */
export interface StateAnswer {
  readonly messages: readonly Message[]
}
