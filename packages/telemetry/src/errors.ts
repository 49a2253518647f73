import { isCapstanError } from '@capstan/core'
import type * as Api from '@opentelemetry/api'

/**
 * Runs tracing code. Errors go to OpenTelemetry's log, so they never reach the run. Returns undefined if there was an
 * error.
 */
export function ignoreErrors<T>({ diag }: Pick<typeof Api, 'diag'>, work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    try {
      diag.error('Could not trace the run.', String(error))
    } catch {
      // The log may throw as well.
    }
    return undefined
  }
}

/** Returns an error's code, or `_OTHER` if the error is not a CapstanError. Messages are never recorded. */
export function errorCode(error: unknown): string {
  return isCapstanError(error) ? error.code : '_OTHER'
}
