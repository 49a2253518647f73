import type { DataParts, LimitName, PartSchemas, RunResult, StandardSchemaV1 } from '@capstan/core'

export interface StoredMetadata {
  /** The run whose calls are pending. Absent for a complete reply. */
  runId?: string
  /** The time at which the message was stored, in milliseconds since 1970. Absent in older sessions. */
  createdAt?: number
}

/** The `metadata` of messages on the `ui` route, for the AI SDK's `UIMessage`, versions 6 and 7. */
export type UiMetadata = StoredMetadata &
  Partial<Pick<RunResult, 'stopReason' | 'limit' | 'exceeded' | 'stepCount'>> & {
    /** The run's usage so far, including usage before each decision. */
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
 * The data parts on the `ui` route, for the AI SDK's `UIMessage`, versions 6 and 7: this package's own parts and those
 * that `dataParts` declares. The part `weather` is `data-weather`.
 */
export type UiDataParts<Parts = unknown> = OwnParts &
  (Parts extends DataParts<infer Schemas> ? ValuesOf<Schemas> : unknown)

type ValuesOf<Schemas extends PartSchemas> = {
  [Name in keyof Schemas & string]: StandardSchemaV1.InferOutput<Schemas[Name]>
}

/** A type alias instead of an interface: an interface has no implicit index signature, which `UIMessage` requires. */
type OwnParts = {
  /** The activity of an agent that runs as a tool call. */
  agent: { toolCallId: string; agent?: string; toolName?: string; status?: string; ms?: number }
  /** The reason why a call is pending. The part's id is the call's `approvalId`. */
  approval: { toolCallId: string; agent?: string; reason?: string }
  /** Calls that may have had effects, from the part of the conversation that the branch cut off. */
  effects: { calls: { callId: string; name: string; arguments: unknown }[] }
  handoff: { to: string }
  limit: { limit: LimitName }
  /** The run's output, as its schema returns it. */
  output: unknown
  /**
   * A call's question to the user. The page sends the user's response as the call's output, or an error to decline. The
   * part's id is the call's `approvalId`.
   */
  question: { toolCallId: string; agent?: string; message: string; schema?: object; url?: string }
  progress: { toolCallId: string; toolName: string; value: unknown }
  /** The duration of a tool's function, in milliseconds. */
  time: { toolCallId: string; toolName: string; ms: number }
}
