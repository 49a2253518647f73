export { type AgentHandler, agentHandler } from './agent-handler.js'
export type { Authenticate, HandlerOptions, HandlerOptionsOf, User } from './options.js'
export type { AllowedOrigins } from './origins.js'
