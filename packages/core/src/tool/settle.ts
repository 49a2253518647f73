/**
 * What a tool's function gave, to be waited for: a value, a promise, or a generator, whose yields are progress.
 * A generator ends at its first yield after an abort: else one that polls would go on for ever.
 */
export function settle(given: unknown, progress: (value: unknown) => void, signal: AbortSignal): unknown {
  return isGenerator(given) ? settleGenerator(given, progress, signal) : given
}

async function settleGenerator(
  given: AsyncGenerator | Generator,
  progress: (value: unknown) => void,
  signal: AbortSignal,
): Promise<unknown> {
  for (;;) {
    const { done, value } = await given.next()
    if (done) return value
    progress(value)
    if (signal.aborted) {
      await given.return(undefined)
      throw signal.reason
    }
  }
}

/** A generator, async or not; a list's iterator has no `throw`, and its values are no progress. */
function isGenerator(value: unknown): value is AsyncGenerator | Generator {
  if (typeof value !== 'object' || value === null || !('next' in value && 'throw' in value)) return false
  return Symbol.asyncIterator in value || Symbol.iterator in value
}
