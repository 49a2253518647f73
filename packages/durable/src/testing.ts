// What tests of durable hosts need, for any test runner.

export { type FaultOptions, type FaultSuite, faultSuite } from './testing/fault-suite.js'
export { type BindWorker, hostInMemory } from './testing/host-in-memory.js'
export type { FaultPoint, HostUnderTest } from './testing/host-under-test.js'
export { type Journal, type JournalOptions, journalHost } from './testing/journal-host.js'
export { runStateStoreChecks } from './testing/run-state-store-checks.js'
