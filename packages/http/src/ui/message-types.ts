import type { DataParts, LimitName, PartSchemas, RunResult, StandardSchemaV1 } from '@capstan/core'

export interface StoredMetadata {
  /** The run whose calls are pending. Absent for a complete reply. */
  runId?: string
  /** The time at which the message was stored, in milliseconds since 1970. Absent in older sessions. */
  createdAt?: number
}

/** The `metadata` of messages on the `ui` route, for `UIMessage` of the AI SDK 6 and 7. */
export type UiMetadata = StoredMetadata &
  Partial<Pick<RunResult, 'stopReason' | 'limit' | 'exceeded' | 'stepCount'>> & {
    /** Of this reply, without the runs that it continues. */
    usage?: {
      inputTokens: number
      outputTokens: number
      totalTokens: number
      cachedInputTokens?: number | undefined
      cacheWriteTokens?: number | undefined
      reasoningTokens?: number | undefined
    }
  }

/**
 * The data parts on the `ui` route, for `UIMessage` of the AI SDK 6 and 7: this package's parts and the parts that
 * `dataParts` declares. The part `weather` is `data-weather`.
 */
export type UiDataParts<Parts = unknown> = OwnParts &
  (Parts extends DataParts<infer Schemas> ? ValuesOf<Schemas> : unknown)

type ValuesOf<Schemas extends PartSchemas> = {
  [Name in keyof Schemas & string]: StandardSchemaV1.InferOutput<Schemas[Name]>
}

/** A type, not an interface: `UIMessage` takes no other. */
type OwnParts = {
  /** The activity of an agent that runs as a call. */
  agent: { toolCallId: string; agent?: string; toolName?: string; status?: string; ms?: number }
  /** The reason why a call is pending. The id of the part is its `approvalId`. */
  approval: { toolCallId: string; agent?: string; reason?: string }
  /** Calls after the start of the branch that may have changed something. */
  effects: { calls: { callId: string; name: string; arguments: unknown }[] }
  handoff: { to: string }
  limit: { limit: LimitName }
  /** The output of the run, as its schema returns it. */
  output: unknown
  /** A call's question to the user. Its output is the user's response; an error declines. The id of the part is its `approvalId`. */
  question: { toolCallId: string; agent?: string; message: string; schema?: object; url?: string }
  progress: { toolCallId: string; toolName: string; value: unknown }
  /** The duration of a tool, in milliseconds. */
  time: { toolCallId: string; toolName: string; ms: number }
}
