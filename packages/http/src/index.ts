export { type AgentHandler, agentHandler } from './agent-handler.js'
export type { AllowedOrigins } from './cors.js'
export type { Authenticate, HandlerOptions, HandlerOptionsOf, User } from './options.js'
