/** A signal that aborts with either of two, and lets go of them when it is released. */
export function joined(
  one: AbortSignal,
  other: AbortSignal | undefined,
): { readonly signal: AbortSignal; release(): void } {
  if (!other) return { signal: one, release() {} }
  const controller = new AbortController()
  const abort = () => controller.abort(one.aborted ? one.reason : other.reason)
  for (const signal of [one, other]) signal.addEventListener('abort', abort, { once: true })
  if (one.aborted || other.aborted) abort()
  return {
    signal: controller.signal,
    release() {
      for (const signal of [one, other]) signal.removeEventListener('abort', abort)
    },
  }
}
