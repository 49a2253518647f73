import type * as Api from '@opentelemetry/api'
import { ignoreErrors } from './errors.js'
import { opentelemetry } from './opentelemetry.js'

/**
 * Returns the headers that continue the active trace on another server, from the registered propagator; `{}` without
 * one. Omits baggage, which may identify users. Call it for each request. If you set `telemetry`'s option `api`, pass
 * the same object as `given`.
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
