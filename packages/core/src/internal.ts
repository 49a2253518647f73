// Internals of core for its sibling packages. Do not use them in applications: these names change without notice.

export { coreOf, hasToolsOf, hasUntrustedTool } from './agent.js'
export { Agent as AgentCore } from './agent-core.js'
export type { KnownOptions, Needs } from './agent-options.js'
export { type LateFacts, lateFacts } from './artifacts/artifact.js'
export { ArtifactViews } from './artifacts/artifact-views.js'
export { readBytes, withReader } from './artifacts/memory-artifacts.js'
export {
  abortable,
  type JoinedSignal,
  joinSignals,
  reportFailure,
  safeListener,
  serialByKey,
} from './async.js'
export { joinBytes, pullStream, toBase64 } from './bytes.js'
export { messageOf } from './errors.js'
export { remainingLimits } from './features/agents/agent-tool.js'
export {
  addAmounts,
  checkAmounts,
  checkReservation,
  decideReservation,
  type LedgerBalance,
  type LedgerWindow,
  ledgerUnits,
  ledgerWindow,
} from './features/ledger/ledger-store.js'
export { storeFilesIn, withAttached } from './features/media/attachments.js'
export { type TextPiece, TextReader } from './features/output/partial-output.js'
export { outputToolName } from './features/output/structured-output.js'
export {
  EventDecoder,
  isEndMark,
  isErrorName,
  isHeartbeat,
  type ServerEvent,
} from './features/reply-forms/stream-events.js'
export { callStatus, stateSchema } from './features/resume/resume.js'
export { EventLog } from './features/streaming.js'
export { canonicalJson, getEnv, isRecord, listOf, tryJson, visibleText } from './json.js'
export { exceededLimits } from './limits.js'
export { type BaseURL, toBaseURL, toHeaderText, version } from './model/chat-model.js'
export { isMissingKeyError, type WatchedClient, watchClient } from './model/openai-client.js'
export { JsonScanner } from './model/reply-fields.js'
export {
  type FailedResponse,
  type Failure,
  readFailure,
  serverMessage,
  withAdvice,
  withoutSecrets,
} from './model/response-errors.js'
export { checkModel, withRetries } from './model/retry.js'
export { rootCause } from './model/transport.js'
export { checkOptionNames, checkRequiredOption, kindOf, type OptionKind, suggest } from './option-names.js'
export { estimateTools } from './run/estimate.js'
export { Hooks } from './run/hooks.js'
export { memoryHost, settle, within, wrapHost } from './run/memory-host.js'
export type { AppliedDecision, Approval, OpenCall, RunnerWithTools } from './run/middleware.js'
export { lastWords } from './run/run-to-end.js'
export {
  compareStepKeys,
  isChildRunOf,
  isRequestKey,
  isSideRequestKey,
  keyWithin,
  outermostRun,
  outermostStep,
  readStepKey,
  type StepKey,
  type StepKind,
  type StepPart,
  splitIdempotencyKey,
  stepKey,
} from './run/step-keys.js'
export { reasoningOf } from './run/steps.js'
export { stoppedError } from './run/stop.js'
export type { StepClock } from './run/time-limit.js'
export { Redactor, sharedRedactors } from './secrets/redactor.js'
export { redacted } from './secrets/secret-names.js'
export type { Secrets } from './secrets/secrets.js'
export { secretsOf, withoutCredentials, withSecretsOf } from './secrets/secrets.js'
export {
  type Addition,
  checkSessionId,
  checkVersion,
  toAddition,
  toFork,
  toPage,
  unreadableSession,
} from './sessions/session.js'
export { storeEndedRun } from './sessions/session-store.js'
export {
  cancelledResult,
  deniedResult,
  errorResult,
  formatType,
  hiddenFailure,
  notRunResult,
  rejectedResult,
} from './tools/rejections.js'
export { toJson, toJsonText } from './tools/render-result.js'
export { jsonFormats, toJsonSchema } from './tools/to-json-schema.js'
export type { Toolset } from './tools/tool.js'
export { notATool } from './tools/tool-options.js'
export {
  type AppliedSchema,
  findViolation,
  type Keyword,
  ownKeywords,
  type Violation,
} from './tools/validate.js'
export type { CommonOptions } from './types/agent.js'
export type { EventBody } from './types/event.js'
export { callsOf, fileLineOf, isInstruction, textOf } from './types/message.js'
export type { Outcome } from './types/state.js'
export { currentStep, openCalls } from './types/state.js'
export { costOf, noUsage } from './usage.js'
