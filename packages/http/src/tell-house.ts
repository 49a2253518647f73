import type { HandlerOptions } from './options.js'

/** Tells the house of a failure whose words callers are not told. */
export function tellHouse(
  error: unknown,
  request: Request,
  { onError }: Pick<HandlerOptions, 'onError'>,
): void {
  try {
    onError?.(error, request)
  } catch {
    // Who listens must not fail the answer.
  }
}
