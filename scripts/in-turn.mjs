import { availableParallelism } from 'node:os'

/**
 * Starts work on each item, on as many at once as there are cores. Resolves to the results in the order of the items.
 * @throws the first error, when all that was started has ended
 */
export async function inTurn(items, start) {
  const waiting = [...items].entries()
  const results = []
  const worker = async () => {
    for (const [index, item] of waiting) results[index] = await start(item)
  }
  await allOf(Array.from({ length: availableParallelism() }, worker))
  return results
}

/** Waits until all have ended. @throws the first error */
export async function allOf(promises) {
  const failed = (await Promise.allSettled(promises)).find(({ status }) => status === 'rejected')
  if (failed) throw failed.reason
}
