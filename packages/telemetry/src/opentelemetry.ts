import type * as Api from '@opentelemetry/api'

/** The OpenTelemetry API, or undefined if it is not installed. */
export const opentelemetry: typeof Api | undefined = await import('@opentelemetry/api').catch(() => undefined)
