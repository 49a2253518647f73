export { allowOnly, askOncePerTool, type Budget, budget, readOnly } from './answer/policies.js'
export type { FailedCall, OnToolError } from './answer/tool-errors.js'
export { type ChatModelOptions, chatModel, type Dialect } from './ask/chat-model.js'
export { fallback } from './ask/fallback.js'
export type { Politeness } from './ask/model-over.js'
export type { HttpAgent } from './ask/node-transport.js'
export type { Timeouts } from './ask/timeouts.js'
export { Agent, type AnyAgent } from './door/agent.js'
export type { AgentOptions, Observer, PrepareOptions, RunOptions } from './door/agent-options.js'
export type { AgentTool, AsToolOptions } from './door/agent-tool.js'
export type { ArtifactLibrary } from './door/artifact-library.js'
export type { Attachment } from './door/attach.js'
export { type HandoffOptions, type HandoffTool, handoff } from './door/handoff.js'
export type { SessionRef } from './door/in-session.js'
export type { AnyRunResult, AnyToolCall, RunResult, ToolCallResult } from './door/result.js'
export type { Run, StreamOptions } from './door/run.js'
export type { RunInput } from './run/begin.js'
export type { OnCheckpoint } from './run/checkpoints.js'
export { and, hasCalled, not, or } from './run/conditions.js'
export { memoryHost } from './run/memory-host.js'
export { type SummaryOptions, summarizeHistory } from './run/summarize-history.js'
export { type HistoryBounds, trimHistory } from './run/trim-history.js'
export type {
  CallRecord,
  Compact,
  History,
  Instructions,
  PictureBounds,
  PrepareStep,
  Progress,
  ShowOptions,
  StepChanges,
  StepView,
  StopCondition,
  StuckOptions,
  ToolChoice,
} from './run/walk.js'
export type { KeyValueStorage } from './session/key-value-storage.js'
export { memorySessions } from './session/memory-sessions.js'
export { unstorageSessions } from './session/unstorage-sessions.js'
export { describeArtifact } from './tool/describe-artifact.js'
export { type JsonSchemaParameters, jsonSchema } from './tool/json-schema.js'
export { memoryArtifacts } from './tool/memory-artifacts.js'
export type { CallOptions } from './tool/plain-call.js'
export { type ArtifactPart, readArtifact } from './tool/read-artifact.js'
export { artifactKindOf, sniffMediaType } from './tool/sniff.js'
export {
  type Tool,
  type ToolOptions,
  type ToolTypes,
  tool,
} from './tool/tool.js'
export type { ToolContext } from './tool/tool-context.js'
export type { Rate, ToolSettings } from './tool/tool-settings.js'
export type { AnyTool, ContextOf } from './tool/types.js'
export { type BytesStorage, unstorageArtifacts } from './tool/unstorage-artifacts.js'
export {
  type Artifact,
  type ArtifactId,
  type ArtifactInfo,
  type ArtifactKind,
  type ArtifactOrigin,
  type ArtifactStore,
  isArtifact,
  isArtifactId,
} from './words/artifact.js'
export { CapstanError, type ErrorCode, isCapstanError, ToolError } from './words/error.js'
export type { RunEvent } from './words/event.js'
export type {
  BindHost,
  ChildAgent,
  ChildStep,
  HostBinding,
  ModelOf,
  RunHost,
  RunStep,
  Settled,
  Step,
  StepContext,
  StepOptions,
  WaitOptions,
} from './words/host.js'
export type { Json, Jsonified } from './words/json.js'
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
} from './words/message.js'
export type {
  ChatModel,
  ModelDelta,
  ModelReply,
  ModelRequest,
  ModelSink,
  RetryNotice,
} from './words/model.js'
export {
  allow,
  ask,
  deny,
  type Policy,
  type PolicyCall,
  type PolicyView,
  type Verdict,
} from './words/policy.js'
export type { Price, PriceTable } from './words/price.js'
export type { Session, SessionInfo, SessionStore } from './words/session.js'
export type {
  Answer,
  CallStatus,
  Decision,
  Decisions,
  LimitName,
  Limits,
  PendingCall,
  RunState,
  StopReason,
} from './words/state.js'
export type { Spending, TokenUsage, Usage } from './words/usage.js'
