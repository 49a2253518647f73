import type * as Api from '@opentelemetry/api'

/**
 * The OpenTelemetry API, or undefined if it is not installed. Webpack must ignore the import, because it would fail if
 * the package is missing.
 */
export const opentelemetry: typeof Api | undefined = await import(
  /* webpackIgnore: true */ '@opentelemetry/api'
).catch(() => undefined)
