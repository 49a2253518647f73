// The types of the studio's data: the files of a run, and the bodies of the server's API. The page imports them too.

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

/** `run.json`, a run's summary. Each change replaces the entire file. */
export interface RunSummary {
  readonly schema: 1
  readonly id: string
  readonly kind: 'run' | 'tool-call' | 'check'
  readonly agent: string
  /** The start of the input, or the title that the user has given the run. */
  readonly title: string
  readonly status: 'running' | 'pending' | 'ended' | 'failed' | 'lost'
  readonly stopReason?: StopReason
  readonly limit?: LimitName
  readonly error?: { readonly code: string; readonly message: string }
  /** When the run started, as an ISO 8601 string. */
  readonly startedAt: string
  readonly endedAt?: string
  /** The total duration of all rounds in milliseconds, without the time between rounds. */
  readonly workedMs: number
  readonly rounds: number
  readonly steps: number
  readonly toolCalls: number
  readonly usage: Usage
  readonly artifacts: readonly string[]
  /** The names of the tools that the run has called. Absent if it has called none. */
  readonly tools?: readonly string[]
  /** The id of the previous run in the same conversation. */
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
  /** The mark of the studio folder in which the run was recorded. Absent if the folder's key could not be read. */
  readonly origin?: string
  /**
   * Set when the file is read, if another studio recorded the run. Such a run can be continued only if the user allows
   * it.
   */
  readonly isForeign?: true
}

/**
 * `options.N.json`: the options of round N that are not in its recording. The file is never rewritten, because later
 * rounds use the same options.
 */
export type RoundOptions = Pick<StartRun, 'settings' | 'limits' | 'instructions' | 'model'> & {
  readonly effects?: 'ask'
}

/**
 * A line of `events.jsonl`. `seq` is the number of the line, and `t` is the time since the run started, in
 * milliseconds.
 */
export type Entry = { readonly seq: number; readonly t: number } & EntryContent

export type EntryContent =
  /** An event. Deltas of the same kind that arrive within 50 ms are joined. */
  | { readonly event: RunEvent }
  | { readonly exchange: number; readonly is: 'sent' | 'headers' | 'first-byte' | 'ended' }
  | { readonly console: 'log' | 'info' | 'warn' | 'error'; readonly text: string; readonly callId?: string }
  | { readonly round: number; readonly decisions?: Decisions }
  /**
   * A stored state. `checkpoint` is the number of its line in `checkpoints.jsonl`, starting at 0. `openCalls` is how
   * many calls have no result yet. `step` is the step of these calls or, if there are none, of the next request.
   */
  | { readonly checkpoint: number; readonly step: number; readonly openCalls?: number }
  | { readonly lost: { readonly exitCode?: number; readonly signal?: string; readonly stderr?: string } }

/** Replaces a value that is too long to be sent with its entry. */
export interface CutValue {
  /** The value's size, and where to get it: `GET /api/runs/ID/parts/PART`. `part` has the form `SEQ/PATH`. */
  readonly cut: { readonly bytes: number; readonly part: string }
}

/** A line of `wire.jsonl`: a request and its response. Timestamps are in milliseconds since the run started. */
export interface Exchange {
  readonly number: number
  /** The request's step key, such as `step3/request`, `step1/child0/step0/request` or `step2/request/ask-0f3a`. */
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
  /**
   * The location of the request's bytes: the first bytes of an earlier request (`sameAs`), followed by bytes in
   * `wire.bin`.
   */
  readonly request: {
    readonly sameAs?: { readonly exchange: number; readonly bytes: number }
    readonly offset: number
    readonly length: number
  }
  readonly response?: { readonly offset: number; readonly length: number }
  /** When each piece of the response arrived, and the size of the piece: `[t, bytes]`. */
  readonly pieces: readonly (readonly [number, number])[]
  readonly notes: readonly ExchangeNote[]
  readonly reply?: ModelReply
  readonly error?: { readonly code: string; readonly message: string; readonly status?: number }
}

/** A part of a response that Capstan corrected when reading it. */
export interface ExchangeNote {
  readonly code: string
  /** The index of the call that the note is about, if any. */
  readonly call?: number
  /** The received text, cut to 200 characters. */
  readonly from?: string
  /** The corrected text, cut to 200 characters. */
  readonly to?: string
  /** The index of the last piece that had arrived when the note was made. */
  readonly piece: number
  /** A sentence that explains the note. It is not stored: the server adds it to the response. */
  readonly sentence?: string
}

/** The response to `GET /api/studio`. */
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

/** The response to `GET /api/agents/NAME`. */
export interface AgentAnswer {
  readonly agent: AgentInfo
  readonly report: ToolReport
}

/** The body of `POST /api/runs`. */
export interface StartRun {
  readonly agent: string
  readonly input?: string
  /** The id of the run whose conversation this run continues. */
  readonly after?: string
  /** The ids of artifacts to attach to the input. */
  readonly attachments?: readonly string[]
  readonly fork?: ForkRequest
  readonly settings?: Readonly<Record<string, unknown>>
  readonly limits?: Limits
  readonly instructions?: string
  /** The name of a model to use instead of the agent's. It is called at the base URL from the environment. */
  readonly model?: string
  /** With `ask`, calls need approval unless their tools only read. Default: `ask` for a fork, otherwise `run`. */
  readonly effects?: 'run' | 'ask'
}

export interface ForkRequest {
  readonly run: string
  readonly checkpoint: number
  /**
   * The messages to change, by index. Messages after the last changed one are dropped, except results of the same step.
   */
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

/** An item in the response to `GET /api/tools`. */
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
  /** The estimated number of tokens that the definition adds to each request. */
  readonly tokens: number
  readonly findings: readonly ToolFinding[]
  readonly examples: readonly { readonly kind: string; readonly arguments: unknown }[]
  readonly hasFunction: boolean
}

/** A pending call: an item in the response to `GET /api/inbox`. */
export interface InboxCall {
  readonly source: 'studio' | 'durable'
  readonly agent: string
  readonly run: string
  readonly call: PendingCall
  /** The run's title and, on the next line, the text that the model wrote with the call. Empty for durable runs. */
  readonly about: string
  readonly since: string
  /** The JSON Schema of the tool's arguments. Absent if the file does not contain the tool. */
  readonly schema?: unknown
}

/** The response to `GET /api/lineage`. */
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

/** Settings for the studio. A file exports them as `studio`, next to its agents. */
export interface StudioSettings<Context = unknown> {
  /** Returns the context object for each run and call. Default: none. */
  readonly context?: () => Context | Promise<Context>
  /** Prompts to offer as buttons in an empty chat. Default: none. */
  readonly prompts?: readonly string[]
}

/** The data of the events that `GET /api/live?run=ID&after=SEQ` streams, by event name. */
export interface LiveEvents {
  /** Sent first, and each time a version of the file has been loaded or has failed to load. */
  readonly studio: Studio
  /** The summaries of runs that are new or have changed, and the ids of removed runs. */
  readonly runs: { readonly changed: readonly RunSummary[]; readonly removed: readonly string[] }
  /** All pending calls. Sent each time a run has changed. */
  readonly inbox: readonly InboxCall[]
  /** New entries of the run in the query, in order. The event's `id` is the `seq` of the last one. */
  readonly entries: readonly Entry[]
}

/** The response to `GET /api/comparison?a=ID&b=ID`: a step-by-step comparison of two runs' recordings. */
export type Comparison = RunComparison

/**
 * The response to `GET /api/runs/ID/states/N`: the messages at checkpoint N, without secrets. At checkpoint 0, the last
 * messages are the run's input.
 */
export interface StateAnswer {
  readonly messages: readonly Message[]
}
