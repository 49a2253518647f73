import type * as Api from '@opentelemetry/api'
import { quietly } from './errors.js'
import { opentelemetry } from './opentelemetry.js'

/**
 * The headers that carry the active trace to another server, by the propagator that is registered; `{}` without one.
 * Baggage, which may say who asks, is left out. Ask anew for each request.
 */
export function traceHeaders(): Record<string, string> {
  const api = opentelemetry
  return (api && quietly(api, () => headersOf(api.context.active(), api))) ?? {}
}

/** The same of any context. */
export function headersOf(context: Api.Context, api: typeof Api): Record<string, string> {
  const { propagation } = api
  const headers: Record<string, string> = {}
  quietly(api, () => propagation.inject(propagation.deleteBaggage(context), headers))
  return headers
}
