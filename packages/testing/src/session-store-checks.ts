import type { SessionStore } from '@capstan/core'
import type { Check } from './check.js'
import { sessionMessages } from './session-messages.js'
import { sessionNames } from './session-names.js'
import { sessionRaces } from './session-races.js'

/**
 * What must hold of every `SessionStore`, for the tests of one: `for (const { name, run } of
 * sessionStoreChecks(makeStore)) test(name, run)`, in any test runner. `makeStore` is called once for each check and
 * gives an empty store.
 */
export function sessionStoreChecks(makeStore: () => SessionStore | Promise<SessionStore>): readonly Check[] {
  return Object.entries(rules).map(([name, holds]) => ({
    name,
    run: async () => holds(await makeStore()),
  }))
}

const rules = { ...sessionMessages, ...sessionNames, ...sessionRaces }
