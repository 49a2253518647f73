// Recordings of runs in files: written, read, replayed and explained.

export { explain } from './recording/explain.js'
export { type RecordedModel, record } from './recording/record.js'
export { type RecordedRun, type RecordRunOptions, recordRun } from './recording/record-run.js'
export type { RecordOptions } from './recording/recorder.js'
export { type ReplayedModel, replay } from './recording/replay.js'
export { type ReplayOptions, replayRun } from './recording/replay-run.js'
