// Test models, checks for tools and stores, and a fake clock. They work with any test runner.

export { type ArgumentCase, argumentCases, type CaseKind } from './argument-cases.js'
export {
  type AutoCase,
  type AutoModel,
  type AutoModelOptions,
  approveAll,
  autoModel,
} from './auto-model.js'
export { type CallToolOptions, type CallToolResult, callTool } from './call-tool.js'
export type { Check } from './check.js'
export { type CheckToolsOptions, checkTools, toReportText } from './check-tools/check-tools.js'
export type { FindingLevel, ToolFinding, ToolReport } from './check-tools/rule.js'
export type { ExpectedRequest, ExpectedRequestFields } from './expectations.js'
export { type FakeClock, type FakeClockOptions, fakeClock } from './fake-clock.js'
export { type AgentInfo, inspectAgent } from './inspect-agent.js'
export { ledgerStoreChecks } from './ledger-store-checks.js'
export { runStoreChecks } from './run-store-checks/run-store-checks.js'
export type {
  CheckedEntry,
  CheckedEvent,
  CheckedPage,
  CheckedQuery,
  CheckedRunStore,
} from './run-store-checks/stored-run.js'
export {
  type AnswerOptions,
  type FailureOptions,
  reply,
  type ScriptAnswer,
  type ScriptCall,
  type ScriptCalls,
  type ScriptFailure,
  type ScriptStep,
  type ScriptText,
  type StepExpectation,
} from './script.js'
export {
  type ScriptedModel,
  type ScriptedModelOptions,
  scriptedModel,
} from './scripted-model.js'
export type { SessionChecksOptions } from './session-store-checks.js'
export { sessionStoreChecks } from './session-store-checks.js'
