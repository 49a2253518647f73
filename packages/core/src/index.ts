export { Agent, type AnyAgent } from './agent.js'
export type { AgentOptions, Observer, PrepareOptions, RunOptions } from './agent-options.js'
export type { AgentTool, AsToolOptions } from './agents/agent-tool.js'
export { type HandoffOptions, type HandoffTool, handoff } from './agents/handoff.js'
export {
  type Artifact,
  type ArtifactId,
  type ArtifactInfo,
  type ArtifactKind,
  type ArtifactOrigin,
  type ArtifactStore,
  artifactKindOf,
  isArtifact,
  isArtifactId,
  sniffMediaType,
} from './artifacts/artifact.js'
export type { Attachment } from './artifacts/attachments.js'
export type { ArtifactLibrary } from './artifacts/library.js'
export { describeArtifact, memoryArtifacts } from './artifacts/memory-artifacts.js'
export { type BytesStorage, unstorageArtifacts } from './artifacts/unstorage-artifacts.js'
export { CapstanError, type ErrorCode, isCapstanError, ToolError } from './errors.js'
export type { Json, Jsonified } from './json.js'
export { type HistoryBounds, trimHistory } from './middleware/compact-history.js'
export { type ArtifactPart, readArtifact } from './middleware/long-results.js'
export { type SummaryOptions, summarizeHistory } from './middleware/summarize-history.js'
export type { RequestLimits } from './model/chat-model.js'
export { type ChatModelOptions, chatModel, type Dialect } from './model/chat-model.js'
export { fallback } from './model/fallback.js'
export type { HttpAgent } from './model/node-transport.js'
export type { Timeouts } from './model/transport.js'
export type { AnyRunResult, AnyToolCall, RunResult, ToolCallResult } from './result.js'
export type { OnCheckpoint } from './run/checkpoints.js'
export { memoryHost } from './run/memory-host.js'
export type {
  CallRecord,
  Compact,
  History,
  ImageBounds,
  Instructions,
  PrepareStep,
  Progress,
  ShowOptions,
  StepChanges,
  StepView,
  StopCondition,
  StuckOptions,
  ToolChoice,
} from './run/run-context.js'
export type { RunInput } from './run/start.js'
export { and, hasCalled, not, or } from './run/stop.js'
export type { Run, StreamOptions } from './run.js'
export { memorySessions } from './sessions/memory-sessions.js'
export type { Session, SessionInfo, SessionRef, SessionStore } from './sessions/session.js'
export type { KeyValueStorage } from './sessions/unstorage-sessions.js'
export { unstorageSessions } from './sessions/unstorage-sessions.js'
export { jsonSchema } from './tools/json-schema.js'
export type { JsonSchemaParameters } from './tools/json-schema-lite.js'
export {
  allow,
  allowOnly,
  ask,
  askOncePerTool,
  type Budget,
  budget,
  deny,
  type Policy,
  type PolicyCall,
  type PolicyView,
  readOnly,
  type Verdict,
} from './tools/policies.js'
export { type Rate, type RateLimit, type RateQueue, rateLimit } from './tools/rate-limit.js'
export type { FailedCall, OnToolError } from './tools/rejections.js'
export { type Repair, safeRepair } from './tools/repair.js'
export type { AnyTool, CallOptions, ContextOf, ToolContext, ToolSettings } from './tools/tool.js'
export {
  type Tool,
  type ToolOptions,
  type ToolTypes,
  tool,
} from './tools/tool.js'
export type { RunEvent } from './types/event.js'
export type {
  ChildAgent,
  ChildStep,
  CreateHost,
  HostContext,
  ModelOverride,
  RunHost,
  RunStep,
  Settled,
  Step,
  StepContext,
  StepOptions,
  WaitOptions,
} from './types/host.js'
export type {
  AssistantMessage,
  Content,
  ContentPart,
  Message,
  SystemMessage,
  ToolCall,
  ToolDefinition,
  ToolMessage,
  UserMessage,
  WireToolChoice,
} from './types/message.js'
export type {
  ChatModel,
  ModelDelta,
  ModelReply,
  ModelRequest,
  ModelSink,
  RetryNotice,
} from './types/model.js'
export type {
  CallResult,
  CallStatus,
  Decision,
  Decisions,
  LimitName,
  Limits,
  PendingCall,
  RunState,
  StopReason,
} from './types/state.js'
export type { Price, PriceTable, Spending, TokenUsage, Usage } from './usage.js'
