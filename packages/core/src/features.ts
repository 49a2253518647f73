// The only list of features. To remove a feature, delete its file, its import and export lines, and its entry below.

// biome-ignore assist/source/organizeImports: this order puts similar code close together, so that gzip compresses it.
import type { Feature } from './run/feature.js'
import type { ModelFeature } from './model/protocol.js'
import type { ChatModel } from './types/model.js'
import { type ChatModelOptions, chatProtocol, createServerModel } from './model/chat-model.js'
import { requestForms } from './features/request-forms.js'
import { contextRefusals } from './features/context-refusals.js'
import { replyForms } from './features/reply-forms/reply-forms.js'
import { recoverCalls, textCalls } from './features/text-calls/recover-calls.js'
import { messageMedia } from './features/media/message-media.js'
import { fitWindow } from './features/context/compact-history.js'
import { lostContext } from './features/lost-context.js'
import { prefix } from './features/prefix.js'
import { taintTracking } from './features/taint-tracking.js'
import { structuredOutput } from './features/output/structured-output.js'
import { stuckDetection } from './features/stuck-detection.js'
import { resume } from './features/resume/resume.js'
import { streaming } from './features/streaming.js'
import { finalAnswer } from './features/final-answer.js'
import { stopWhen } from './features/stop-when.js'
import { policies } from './features/policies.js'
import { prepareStep } from './features/prepare-step.js'
import { longResults } from './features/context/long-results.js'

export { agentTool, type ChildTool, type ChildToolOptions } from './features/agents/agent-tool.js'
export { type HandoffOptions, type HandoffTool, handoff } from './features/agents/handoff.js'
export { backgroundCalls } from './features/background-calls.js'
export { type CacheStore, type CacheToolsOptions, cacheTools } from './features/cache-tools.js'
export { contextRefusals } from './features/context-refusals.js'
export {
  type DataPartOptions,
  type DataParts,
  dataParts,
  type PartSchemas,
} from './features/data-parts.js'
export { effectKeys } from './features/effect-keys.js'
export { finalAnswer } from './features/final-answer.js'
export { type GuardOptions, type GuardVerdict, guard } from './features/guard/guard.js'
export {
  type Compact,
  clearResults,
  compactHistory,
  fitWindow,
  type History,
  type HistoryBounds,
  summarizeHistory,
  trimHistory,
} from './features/context/compact-history.js'
export { lostContext } from './features/lost-context.js'
export { type LedgerOptions, ledger } from './features/ledger/ledger.js'
export {
  type LedgerAmounts,
  type LedgerAnswer,
  type LedgerFurther,
  type LedgerGrant,
  type LedgerPeriod,
  type LedgerRefusal,
  type LedgerReservation,
  type LedgerStore,
  type LedgerUnit,
  memoryLedger,
} from './features/ledger/ledger-store.js'
export type { SummaryOptions } from './features/context/summarize-history.js'
export { type HostedTool, hosted } from './features/hosted-tools.js'
export { type LogOptions, type LogTarget, logRuns } from './features/log-runs.js'
export {
  type ArtifactPart,
  type ClearOptions,
  longResults,
  readArtifact,
} from './features/context/long-results.js'
export { lineage, saveArtifact } from './features/media/attachments.js'
export {
  type ImageBounds,
  messageMedia,
  type ShowImagesOptions,
  showImages,
} from './features/media/message-media.js'
export {
  type PartialCall,
  type Partially,
  partialCalls,
  partialOutput,
} from './features/output/partial-output.js'
export { structuredOutput } from './features/output/structured-output.js'
export {
  allowOnly,
  askOncePerTool,
  type Budget,
  budget,
  policies,
  readOnly,
} from './features/policies.js'
export { prefix } from './features/prefix.js'
export { type ChooseModel, modelPerStep, prepareStep } from './features/prepare-step.js'
export { rateLimit } from './features/rate-limit.js'
export { replyForms } from './features/reply-forms/reply-forms.js'
export { requestForms } from './features/request-forms.js'
export { resume } from './features/resume/resume.js'
export { type RetryToolsOptions, retryTools } from './features/retry-tools.js'
export { allOf, anyOf, hasCalled, noneOf, stopWhen } from './features/stop-when.js'
export { streaming } from './features/streaming.js'
export { type StuckOptions, stuckDetection } from './features/stuck-detection.js'
export { type TaintOptions, taintTracking } from './features/taint-tracking.js'
export { recoverCalls, textCalls } from './features/text-calls/recover-calls.js'
export { wireTap } from './features/wire-tap.js'

/** The features of the main entry, outermost first. Each is a function, so that bundlers can drop unused features. */
export const standard: readonly (() => Feature)[] = [
  resume,
  streaming,
  longResults,
  taintTracking,
  textCalls,
  structuredOutput,
  policies,
  prepareStep,
  stuckDetection,
  stopWhen,
  fitWindow,
  prefix,
  lostContext,
  finalAnswer,
  messageMedia,
]

/** The features of each model that calls a server, outermost first. */
export const standardOfModels: readonly (() => ModelFeature)[] = [
  recoverCalls,
  requestForms,
  contextRefusals,
  replyForms,
]

/**
 * Creates a model that calls an OpenAI-style `/chat/completions` endpoint.
 * @throws CapstanError `invalid_request` immediately if `baseURL` is not an http(s) URL or contains a password, the
 * name is missing, an option is misspelt, or a limit or count is invalid
 */
export function chatModel(name: string, options: ChatModelOptions = {}): ChatModel {
  return createServerModel(
    name,
    options,
    chatProtocol,
    standardOfModels.map((make) => make()),
  )
}
