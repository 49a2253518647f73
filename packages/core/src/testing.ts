// What tests of agents need, and checks for implementations of the ports: for any test runner.

export { type CheckToolsOptions, checkTools } from './doctor/check-tools.js'
export type { FindingLevel, ToolFinding, ToolReport } from './doctor/finding.js'
export { toReportText } from './doctor/to-report-text.js'
export { explain } from './recording/explain.js'
export { type RecordedModel, record } from './recording/record.js'
export { type RecordedRun, type RecordRunOptions, recordRun } from './recording/record-run.js'
export type { RecordOptions } from './recording/recorder.js'
export { type ReplayedModel, replay } from './recording/replay.js'
export { type ReplayOptions, replayRun } from './recording/replay-run.js'
export type { ArgumentCase, CaseKind } from './testing/argument-cases.js'
export type { Asked, AskedParts } from './testing/asked.js'
export {
  type AutoCase,
  type AutoModel,
  type AutoModelOptions,
  autoModel,
} from './testing/auto-model.js'
export type { Check } from './testing/check.js'
export { type FakeClock, type FakeClockOptions, fakeClock } from './testing/fake-clock.js'
export {
  type AnswerOptions,
  call,
  calls,
  type FailureOptions,
  fail,
  type ScriptAnswer,
  type ScriptCall,
  type ScriptCalls,
  type ScriptFailure,
  type ScriptStep,
  type ScriptText,
  type StepExpectation,
  text,
} from './testing/script-step.js'
export {
  type ScriptedModel,
  type ScriptedModelOptions,
  scriptedModel,
} from './testing/scripted-model.js'
export { sessionStoreChecks } from './testing/session-store-checks.js'
