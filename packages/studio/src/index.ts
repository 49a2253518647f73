// The public exports of @capstan/studio.

export { type KeepRunOptions, type KeptRun, keepRun } from './keep-run/keep-run.js'
export type { RunFacts } from './keep-run/run-summary.js'
export type { WorkerEntry } from './runtime/agent-process.js'
export type { LoadService } from './server/model-service.js'
export { type RunningStudio, type StudioOptions, startStudio } from './server/studio.js'
export type { RetentionBounds } from './store/retention.js'
export type {
  Entry,
  EntryContent,
  Exchange,
  ExchangeNote,
  ForkRequest,
  InboxCall,
  RunSummary,
  StartRun,
  Studio,
  StudioSettings,
  ToolInfo,
} from './types.js'
