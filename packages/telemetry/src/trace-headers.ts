import type * as Api from '@opentelemetry/api'
import { ignoreErrors } from './errors.js'
import { opentelemetry } from './opentelemetry.js'

/**
 * Returns the headers with which another server can continue the active trace. They come from the registered
 * propagator; without one, the result is `{}`. Baggage is omitted, because it may identify users. Call this function
 * for each request. If you set the `api` option of `telemetry`, pass the same object as `given`.
 */
export function traceHeaders(given?: object): Record<string, string> {
  const api = (given as typeof opentelemetry) ?? opentelemetry
  return (api && ignoreErrors(api, () => headersOf(api.context.active(), api))) ?? {}
}

/** Returns a context's trace headers, without baggage. */
export function headersOf(context: Api.Context, api: typeof Api): Record<string, string> {
  const { propagation } = api
  const headers: Record<string, string> = {}
  ignoreErrors(api, () => propagation.inject(propagation.deleteBaggage(context), headers))
  return headers
}
