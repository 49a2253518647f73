export type {
  DamagedRun,
  DurableAgent,
  DurableRun,
  DurableRunOptions,
  ListRunsOptions,
  ResultOf,
  RunList,
  RunStatus,
} from './durable-agent.js'
export { jsonHost } from './json-host.js'
export { folderRuns } from './local/folder-runs.js'
export { memoryRuns } from './local/memory-runs.js'
export { type PersistentAgent, type PersistentOptions, persistent } from './local/persistent-agent.js'
export type { RunRecord, RunStateStore, StoredRun } from './local/run-store.js'
export type { RunEntryStore } from './local/run-store-adapter.js'
export type { Recorded, RecordedError } from './recorded.js'
export type { SegmentEnd } from './segment.js'
export type { RunSettings } from './settings.js'
