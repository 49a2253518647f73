// Runs the facts of one file on its own Restate server and prints a line of JSON for each: `tell-facts.ts ./facts/x.ts`.
import { startRestate } from '../../../../scripts/engines.mjs'
import type { Facts, Told } from './facts.js'

// Stops the server and the workers with this process.
process.once('SIGTERM', () => process.exit(1))
const { facts } = (await import(process.argv[2] ?? '')) as { readonly facts: Facts }
const restate = await startRestate()
if (restate) {
  for (const [name, holds] of Object.entries(facts)) {
    const told: Told = await inTime(holds(restate)).then(
      () => ({ name }),
      (error: unknown) => ({ name, error: String((error as Error).stack ?? error) }),
    )
    console.log(JSON.stringify(told))
  }
  await restate.stop()
}
process.exit(0)

/** Limits the time of a fact, so that a hanging one does not block the others. */
async function inTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('It took more than four minutes.')), 240_000)
  })
  await Promise.race([work, late]).finally(() => clearTimeout(timer))
}
