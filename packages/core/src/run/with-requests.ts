import { addCost, costOf, type PriceTable } from '../words/price.js'
import { type AnsweredRequest, type Usage, withRequest } from '../words/usage.js'

/** A request that was answered, as far as it is counted. */
export interface CountedRequest extends AnsweredRequest {
  /** The model that was asked. */
  readonly model: string
}

/** The usage after more answered requests; as it was where there are none. */
export function withRequests(
  usage: Usage,
  requests: readonly CountedRequest[],
  prices: PriceTable | undefined,
): Usage {
  return requests.reduce((before, request) => {
    const after = withRequest(before, request)
    return prices ? { ...after, cost: addCost(before.cost, costOfRequest(request, prices)) } : after
  }, usage)
}

/** What one costs, or `unknown`. */
export function costOfRequest({ tokens, model }: CountedRequest, prices: PriceTable): number | 'unknown' {
  return tokens ? costOf(tokens, model, prices) : 'unknown'
}
