import type * as Api from '@opentelemetry/api'

/**
 * The OpenTelemetry API, or undefined if it is not installed. Webpack must ignore this import, because a bundle without
 * the package would otherwise fail.
 */
export const opentelemetry: typeof Api | undefined = await import(
  /* webpackIgnore: true */ '@opentelemetry/api'
).catch(() => undefined)
