import type { RestatePromise } from '@restatedev/restate-sdk'
import type { Sdk } from './load-sdk.js'

/**
 * Waits for what was begun to its end, whether the run is ended meanwhile or not: `cancelled` is told of it, and what
 * goes on is to end by itself.
 */
export async function outlast<T>(
  { RestatePromise, CancelledError }: Sdk,
  begun: readonly RestatePromise<T>[],
  cancelled: () => void,
): Promise<PromiseSettledResult<T>[]> {
  for (;;)
    try {
      // A promise that was cut off once stays so: each time it takes a new one.
      return (await RestatePromise.allSettled(begun)) as PromiseSettledResult<T>[]
    } catch (error) {
      if (!(error instanceof CancelledError)) throw error
      cancelled()
    }
}
