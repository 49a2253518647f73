// Records, replays, explains, forks and compares runs.

export { compareRuns, type RunComparison } from './recording/compare-runs.js'
export type {
  ComparedStep,
  PartDifference,
  StepComparison,
  StepPair,
  StepPart,
} from './recording/compare-steps.js'
export { type ExplainedLine, explain, explainEntries } from './recording/explain.js'
export { explainNote } from './recording/explain-note.js'
export { type ForkChanges, type ForkOptions, forkRun } from './recording/fork-run.js'
export type {
  Line as RecordedLine,
  RecordedDelta,
  RecordedEnd,
  RecordedEvent,
  RecordedFailure,
  RecordedOutcome,
  RecordedReply,
  RecordedRequest,
  RecordedRetry,
  RecordedStart,
} from './recording/format.js'
export {
  type Exchange as RecordedExchange,
  type RunRecording,
  readRuns as readRecording,
} from './recording/read.js'
export {
  type RecordedModel,
  type RecordedRun,
  type RecordRunOptions,
  recordModel,
  recordRun,
} from './recording/record.js'
export type { RecordOptions } from './recording/recorder.js'
export { type ReplayedModel, replayModel } from './recording/replay-model.js'
export { type ReplayOptions, replayRun } from './recording/replay-run.js'
