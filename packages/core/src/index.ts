// biome-ignore assist/source/organizeImports: this order keeps similar code together in a bundle, which gzip needs.
import type { Agent as AgentOf } from './types/agent.js'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Middleware } from './run/middleware.js'
import type { AnyTool } from './tools/tool.js'
import { chatModel, standard } from './features.js'
import { agentWith } from './agent.js'

export type { Work } from './async.js'
export type { StandardSchemaV1 } from '@standard-schema/spec'
export { agentWith, type Entry } from './agent.js'
export type { KnownOptions, Needs } from './agent-options.js'
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
export { describeArtifact, memoryArtifacts, readArtifactBytes } from './artifacts/memory-artifacts.js'
export { type BytesStorage, unstorageArtifacts } from './artifacts/unstorage-artifacts.js'
export { CapstanError, type ErrorCode, isCapstanError, ToolError } from './errors.js'
export * from './features.js'
export type { Json, Jsonified } from './json.js'
export type { SpendLimiter } from './limits.js'
export type { OptionKind } from './option-names.js'
export type { SlotScheduler, SlotTurn, SlotRequest } from './tools/concurrency.js'
export type { ChatModelOptions, Dialect, RequestLimits } from './model/chat-model.js'
export type {
  Adaptation,
  BuilderOptions,
  ModelFacts,
  ModelFeature,
  Protocol,
  Refusal,
  ReplyBuilder,
  BodyReader,
  SendRequest,
  RecoverOptions,
  WindowOptions,
} from './model/protocol.js'
export type { ModelSettings, ServerForm } from './model/request-body.js'
export { fallback } from './model/retry.js'
export type { Timeouts } from './model/transport.js'
export type {
  Attachment,
  Feature,
  GivenInput,
  GivenOptions,
  GivenStart,
  OptionKinds,
  PrepareStep,
  Progress,
  ReadOptions,
  ResumeRequest,
  Run,
  RunInput,
  Caller,
  StepChanges,
  StepView,
  StopCondition,
  EventOf,
  StepOf,
} from './run/feature.js'
export { without } from './run/hooks.js'
export type { OnCheckpoint } from './run/memory-host.js'
export { memoryHost } from './run/memory-host.js'
export type {
  RunnerWithTools,
  Approval,
  FinalRequest,
  Instructions,
  Middleware,
  NextRequest,
  NextTool,
  OpenCall,
  Ending,
  RunView,
  StepEffects,
  StepReply,
  StepRequest,
  Stop,
  ToolChoice,
  ToolTrust,
  AppliedDecision,
} from './run/middleware.js'
export type { StepPart } from './run/step-keys.js'
export { memorySessions } from './sessions/session.js'
export {
  type Session,
  type SessionInfo,
  type SessionMethods,
  type SessionQuery,
  type SessionRef,
  type SessionStore,
  sessionStore,
} from './sessions/session-store.js'
export type { KeyValueStorage } from './sessions/unstorage-sessions.js'
export { unstorageSessions } from './sessions/unstorage-sessions.js'
export { jsonSchema } from './tools/json-schema.js'
export type { JsonSchemaParameters } from './tools/validate.js'
export {
  type Allowed,
  type Denied,
  type Policy,
  type ValueSource,
  type ArgumentSources,
  type PolicyCall,
  type PolicyView,
  type Replacement,
  type Verdict,
  verdict,
} from './tools/policies.js'
export type { FailedCall, OnToolError } from './tools/rejections.js'
export { type Coerced, type Repair, type RepairedJson, safeRepair } from './tools/repair.js'
export type {
  AnyTool,
  CallOptions,
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
export type {
  Agent as AgentOf,
  AgentOptions,
  AnyAgent,
  CommonOptions,
  ContextOptions,
  Observer,
  OnStepOptions,
  PrepareOptions,
  RunOptions,
  StreamOptions,
  ToolsOf,
  ContextOfMiddleware,
  OptionsArgument,
  OutputOf,
} from './types/agent.js'
export type {
  ToolRef,
  Emit as EmitEvent,
  EventBody,
  FeatureEvent,
  MiddlewareEvent,
  ModelRef,
  RunEvent,
  Stamp,
  StepEnd,
} from './types/event.js'
export type {
  ChildRunner,
  ChildStep,
  CreateHost,
  HostContext,
  ModelOverride,
  RunHost,
  HostStep,
  HostStepOptions,
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
  DataPart,
  DeveloperMessage,
  FilePlace,
  Message,
  MessageMedia,
  ShownPart,
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
  OutputSchema,
  ReadOutput,
  RetryNotice,
  Source,
  TappedRequest,
  Transport,
  TransportRequest,
  TransportResponse,
  WireListener,
  WireNote,
  WireNoteCode,
  WireRequest,
  WireTap,
  WrittenAsText,
} from './types/model.js'
export type {
  RunResult,
  Done as DoneResult,
  ResultSteps as ResultCalls,
  ResultFacts,
  StepResult,
  ToolCallResult,
} from './types/agent.js'
export type {
  AnyStep,
  AnyToolCall,
  EndedFacts,
  ResultNotes,
  CallRecord,
  CallResult,
  ResultStatus,
  StoredChild,
  Decision,
  Decisions,
  Flags as RunFlags,
  LimitName,
  Limits,
  Outcome,
  PendingCall,
  ReplyFacts,
  ResponseFacts,
  RunState,
  StepResponse,
  StopReason,
} from './types/state.js'
export type { CountedRequest, Price, PriceTable, Spending, TokenUsage, Usage } from './usage.js'

/**
 * A model with tools and instructions. Runs share no history unless you pass messages, a state or a session. Without
 * type arguments, `Agent` stands for any agent. Like `AnyAgent`, that type does not show whether runs require a
 * `context`.
 */
export type Agent<
  Tools extends readonly AnyTool[] = readonly AnyTool[],
  Output extends StandardSchemaV1 | undefined = StandardSchemaV1 | undefined,
  Added extends readonly Middleware[] = readonly Middleware[],
> = AgentOf<Tools, Output, Added>

/** An agent with the standard features. */
export const Agent = /* @__PURE__ */ agentWith({
  features: () => standard.map((make) => make()),
  chatModel,
  // These settings belong to features that agents do not have by default.
  needs: {
    toolSettings: { effects: 'effectKeys()', show: 'showImages()', background: 'backgroundCalls()' },
  },
})
