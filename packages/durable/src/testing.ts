// Checks for durable hosts and stores, for any test runner.

export {
  type FaultOptions,
  type FaultSuite,
  type FaultSuiteOptions,
  faultSuite,
} from './testing/fault-suite.js'
export type { FaultPoint, HostUnderTest } from './testing/journal-host.js'
export {
  type CreateWorkerHost,
  hostInMemory,
  type Journal,
  type JournalOptions,
  journalHost,
} from './testing/journal-host.js'
export { runStateStoreChecks } from './testing/store-checks.js'
