// Public names of @capstan/studio.

export type { Entry, EntryContent, Exchange, RunSummary, StudioSettings } from './types.js'
