// Recording, replaying and explaining runs.

export { explain } from './recording/explain.js'
export { explainNote } from './recording/explain-note.js'
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
