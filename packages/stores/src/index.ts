export {
  checkRunId,
  type RunEntry,
  type RunPage,
  type RunQuery,
  type RunStatus,
  type RunStore,
  type StoredEvent,
  type StoredRun,
} from './run-store.js'
