export { type AgentHandler, agentHandler, type CloseOptions } from './agent-handler.js'
export {
  type ApprovalToken,
  type ApprovalTokenOptions,
  approvalToken,
  readApprovalToken,
  type TokenCall,
} from './approval-tokens.js'
export type { ApprovalOptions, PendingNotice, WaitingCall } from './approvals.js'
export type { AllowedOrigins } from './cors.js'
export type { Authenticate, HandlerOptions, HandlerOptionsOf, User } from './options.js'
export type { RunInfo } from './runs/inbox.js'
export type { Closed } from './runs/runs.js'
export type { StoredMetadata, UiDataParts, UiMetadata } from './ui/message-types.js'
export {
  type PendingUiCall,
  type StoredCall,
  type StoredUiMessage,
  type StoredUiPart,
  type StoredUiQuestion,
  type ToUiMessagesOptions,
  toUiMessages,
} from './ui/to-ui-messages.js'
