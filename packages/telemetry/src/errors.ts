import { isCapstanError } from '@capstan/core'
import type * as Api from '@opentelemetry/api'

/**
 * Does what belongs to tracing alone: what it throws disturbs no run, and is told to OpenTelemetry's own log. Undefined
 * then.
 */
export function quietly<T>({ diag }: Pick<typeof Api, 'diag'>, work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    try {
      diag.error('A run could not be traced.', String(error))
    } catch {
      // Nor does the log.
    }
    return undefined
  }
}

/** What an error is called: never what it says. */
export function codeOf(error: unknown): string {
  return isCapstanError(error) ? error.code : '_OTHER'
}
