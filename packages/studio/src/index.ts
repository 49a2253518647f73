// Public names of @capstan/studio.

export { type RunningStudio, type StudioOptions, startStudio } from './server/studio.js'
export type { Entry, EntryContent, Exchange, RunSummary, StudioSettings } from './types.js'
