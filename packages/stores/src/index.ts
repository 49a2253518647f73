export { type MemoryRunStoreOptions, memoryRunStore } from './memory-run-store.js'
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
export { type UnstorageRunStore, unstorageRunStore } from './unstorage-run-store.js'
