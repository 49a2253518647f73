import { storesOf } from './stores-of.js'

/** The ledger in the PostgreSQL that the environment names, for a worker that shares a budget. */
export async function open() {
  return storesOf({ url: process.env.LEDGER_URL ?? '', schema: 'budget' }).ledger
}
