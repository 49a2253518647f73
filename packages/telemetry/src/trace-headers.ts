import type * as Api from '@opentelemetry/api'
import { opentelemetry } from './opentelemetry.js'

/**
 * The headers that carry the active trace to another server, by the propagator that is registered; `{}` without one.
 * Baggage, which may say who asks, is left out. Ask anew for each request.
 */
export function traceHeaders(): Record<string, string> {
  return opentelemetry ? headersOf(opentelemetry.context.active(), opentelemetry) : {}
}

/** The same of any context. */
export function headersOf(context: Api.Context, { propagation }: typeof Api): Record<string, string> {
  const headers: Record<string, string> = {}
  propagation.inject(propagation.deleteBaggage(context), headers)
  return headers
}
