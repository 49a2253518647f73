// Converts tools of other frameworks for agents, and Capstan's tools for the AI SDK, without importing any of their
// packages.

export { type AiSdkTool, type FromAiSdkTools, fromAiSdkTools } from './frameworks/ai-sdk.js'
export type { FrameworkToolInfo, FrameworkToolsOptions } from './frameworks/foreign-tool.js'
export type { Execute, Known } from './frameworks/inferred.js'
export {
  type ContentAndArtifact,
  type FromLangchainTools,
  fromLangchainTools,
  type LangchainTool,
} from './frameworks/langchain.js'
export {
  type FromMastraTools,
  fromMastraTools,
  type MastraTool,
  type MastraValidationError,
} from './frameworks/mastra.js'
export type { MediaBlock, Stored } from './frameworks/media.js'
export { type AgentsTool, type FromAgentsTools, fromAgentsTools } from './frameworks/openai-agents.js'
export {
  type AiSdkCallOptions,
  type AiSdkToolOf,
  type ToAiSdkOptions,
  type ToAiSdkTools,
  toAiSdkTools,
} from './frameworks/to-ai-sdk.js'
