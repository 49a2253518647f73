export type { StandardSchemaV1 } from '@standard-schema/spec'
export { Agent, type AnyAgent } from './agent.js'
export type {
  AgentOptions,
  Observer,
  PrepareOptions,
  RunOptions,
  StreamOptions,
  ToolsOf,
} from './agent-options.js'
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
  type ReadableArtifact,
  sniffMediaType,
} from './artifacts/artifact.js'
export { describeArtifact, memoryArtifacts } from './artifacts/memory-artifacts.js'
export { type BytesStorage, unstorageArtifacts } from './artifacts/unstorage-artifacts.js'
export { CapstanError, type ErrorCode, isCapstanError, ToolError } from './errors.js'
export { type AgentTool, type AgentToolOptions, agentTool } from './features/agents/agent-tool.js'
export { type HandoffOptions, type HandoffTool, handoff } from './features/agents/handoff.js'
export { backgroundCalls } from './features/background-calls.js'
export { type CacheStore, type CacheToolsOptions, cacheTools } from './features/cache-tools.js'
export { type GuardOptions, type GuardVerdict, guard } from './features/guard/guard.js'
export {
  type Compact,
  compactHistory,
  type History,
  type HistoryBounds,
  trimHistory,
} from './features/history/compact-history.js'
export { type SummaryOptions, summarizeHistory } from './features/history/summarize-history.js'
export { type HostedTool, hosted } from './features/hosted-tools.js'
export { type LogOptions, type LogTarget, logRuns } from './features/log-runs.js'
export { type ArtifactPart, longResults, readArtifact } from './features/long-results.js'
export type { Attachment } from './features/media/attachments.js'
export { lineage, readArtifactBytes, saveArtifact } from './features/media/attachments.js'
export { type ImageBounds, type ShowImagesOptions, showImages } from './features/media/show-images.js'
export { type Partially, partialOutput } from './features/output/partial-output.js'
export type { OutputSchema } from './features/output/structured-output.js'
export {
  type ChooseModel,
  modelPerStep,
  type PrepareStep,
  type StepChanges,
  type StepView,
} from './features/prepare-step.js'
export { rateLimit } from './features/rate-limit.js'
export { type RetryToolsOptions, retryTools } from './features/retry-tools.js'
export type { Run } from './features/streaming.js'
export { type StuckOptions, stuckDetection } from './features/stuck-detection.js'
export { type TaintOptions, taintTracking } from './features/taint-tracking.js'
export type { Json, Jsonified } from './json.js'
export type { RequestLimits } from './model/chat-model.js'
export { type ChatModelOptions, chatModel, type Dialect } from './model/chat-model.js'
export { fallback } from './model/fallback.js'
export type { HttpAgent } from './model/node-transport.js'
export type { ModelSettings } from './model/request-body.js'
export type { Timeouts } from './model/transport.js'
export { wireTap } from './model/wire-tap.js'
export type {
  AnyRunResult,
  Done as DoneResult,
  RunCalls as ResultCalls,
  RunFacts as ResultFacts,
  RunResult,
  StepResult,
  ToolCallResult,
} from './result.js'
export { type DefaultMiddleware, without } from './run/hooks.js'
export type { OnCheckpoint } from './run/memory-host.js'
export { memoryHost } from './run/memory-host.js'
export type {
  FeatureEvent,
  FinalRequest,
  Instructions,
  Middleware,
  MiddlewareEvent,
  NextRequest,
  NextTool,
  ReadOutput,
  ReplyMedia,
  RunView,
  StepEffects,
  StepReply,
  StepRequest,
  Stop,
  ToolChoice,
} from './run/middleware.js'
export type { RunInput } from './run/start.js'
export {
  allOf,
  anyOf,
  finalAnswer,
  hasCalled,
  noneOf,
  type Progress,
  type StopCondition,
} from './run/stop.js'
export {
  memorySessions,
  type Session,
  type SessionInfo,
  type SessionRef,
  type SessionStore,
} from './sessions/session.js'
export type { KeyValueStorage } from './sessions/unstorage-sessions.js'
export { unstorageSessions } from './sessions/unstorage-sessions.js'
export { jsonSchema } from './tools/json-schema.js'
export type { JsonSchemaParameters } from './tools/json-schema-lite.js'
export {
  type Allowed,
  allowOnly,
  askOncePerTool,
  type Budget,
  budget,
  type Denied,
  type Policy,
  type PolicyCall,
  type PolicyView,
  type Replacement,
  readOnly,
  type Verdict,
  verdict,
} from './tools/policies.js'
export type { FailedCall, OnToolError } from './tools/rejections.js'
export { type Coerced, type Repair, type RepairedJson, safeRepair } from './tools/repair.js'
export type {
  AnyTool,
  CallOptions,
  ChildTool,
  ContextOf,
  Rate,
  RateLimit,
  RateQueue,
  RunningCall,
  ToolContext,
  ToolOutcome,
  ToolSettings,
  Toolset,
} from './tools/tool.js'
export {
  type Tool,
  type ToolOptions,
  type ToolTypes,
  tool,
} from './tools/tool.js'
export type { Emit as EmitEvent, EventBody, RunEvent } from './types/event.js'
export type {
  ChildRunner,
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
  DeveloperMessage,
  FilePlace,
  Message,
  MessageMedia,
  SystemMessage,
  ToolCall,
  ToolDefinition,
  ToolMessage,
  UserMessage,
  WireToolChoice,
} from './types/message.js'
export type {
  ChatModel,
  ExchangeTap,
  HostedCall,
  HostedDefinition,
  ModelDelta,
  ModelReply,
  ModelRequest,
  ModelSink,
  RetryNotice,
  Source,
  WireListener,
  WireTap,
  WrittenCalls,
} from './types/model.js'
export type {
  AnyStep,
  AnyToolCall,
  CallFacts,
  CallNotes,
  CallRecord,
  CallResult,
  CallStatus,
  ChildRun,
  Decision,
  Decisions,
  Flags as RunFlags,
  LimitName,
  Limits,
  PendingCall,
  ReplyFacts,
  ResponseFacts,
  RunState,
  StepResponse,
  StopReason,
} from './types/state.js'
export type {
  TappedRequest,
  Transport,
  TransportRequest,
  TransportResponse,
  WireNote,
  WireNoteCode,
  WireRequest,
} from './types/wire.js'
export type { CountedRequest, Price, PriceTable, Spending, TokenUsage, Usage } from './usage.js'
