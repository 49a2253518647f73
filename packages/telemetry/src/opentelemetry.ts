import type * as Api from '@opentelemetry/api'

/** The OpenTelemetry API, or undefined if it is not installed. Otherwise webpack would not build without it. */
export const opentelemetry: typeof Api | undefined = await import(
  /* webpackIgnore: true */ '@opentelemetry/api'
).catch(() => undefined)
