import type { SessionStore } from '@capstan/core'

/** What must hold of a session store, by its name: each rejects when it does not, given an empty store. */
export type StoreRules = Readonly<Record<string, (store: SessionStore) => Promise<void>>>
