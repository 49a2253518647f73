import type * as Api from '@opentelemetry/api'

/** The OpenTelemetry API, or undefined if it is not installed. webpack would refuse to build without it. */
export const opentelemetry: typeof Api | undefined = await import(
  /* webpackIgnore: true */ '@opentelemetry/api'
).catch(() => undefined)
