// Checks for implementations of the ports, for any test runner.

export type { Check } from './testing/check.js'
export { sessionStoreChecks } from './testing/session-store-checks.js'
