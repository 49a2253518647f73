// Public names of @capstan/studio.

export { type KeepRunOptions, type KeptRun, keepRun } from './keep-run/keep-run.js'
export type { RunFacts } from './keep-run/run-summary.js'
export { type RunningStudio, type StudioOptions, startStudio } from './server/studio.js'
export type {
  Entry,
  EntryContent,
  Exchange,
  ForkRequest,
  InboxCall,
  RunSummary,
  StartRun,
  Studio,
  StudioSettings,
  ToolInfo,
} from './types.js'
