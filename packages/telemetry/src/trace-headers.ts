import type * as Api from '@opentelemetry/api'
import { ignoreErrors } from './errors.js'
import { opentelemetry } from './opentelemetry.js'

/**
 * Returns headers from the registered propagator, which let another server continue the active trace; `{}` if there is
 * none. Baggage is omitted, because it may identify users. Call this function for each request. If you set the `api`
 * option of `telemetry`, pass the same object as `given`.
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
