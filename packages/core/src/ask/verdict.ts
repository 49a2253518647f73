import type { ErrorCode } from '../words/error.js'
import { toSnakeCase } from './loose.js'

/** What a failure is, and whether the same request may succeed later. */
export interface Verdict {
  readonly code: ErrorCode
  readonly retryable: boolean
}

/**
 * What a status and the words that servers have for codes and types mean. A word that says one thing counts more
 * than the status; without a status of an error a vague one counts as well, and nothing said is the server's fault.
 */
export function toVerdict(status: number, words: readonly string[]): Verdict {
  const said = words.map(toSnakeCase)
  const meant = (list: readonly Meaning[]) => list.find(([word]) => said.some((one) => word.test(one)))?.[1]
  return ofStatus(meant(telling) ?? (status >= 300 ? status : meant(vague)) ?? 500)
}

type Meaning = readonly [word: RegExp, status: number]

const telling: readonly Meaning[] = [
  [/insufficient_(quota|credit|balance)|billing|payment_required/, 402],
  [/rate_limit|too_many_requests|resource_exhausted|throttl/, 429],
  [/(invalid|incorrect|missing)_api_key|api_key_invalid|authentication|unauthenticated|unauthorized/, 401],
  [/^permission_(error|denied)/, 403],
  [/^(model_)?not_found(_error)?$/, 404],
  [/^context_length_exceeded$/, 400],
  [/^(request_|gateway_)?timeout(_error)?$|^deadline_exceeded$/, 408],
]

const vague: readonly Meaning[] = [[/^(invalid|bad)_(request|argument)/, 400]]

function ofStatus(status: number): Verdict {
  if (status === 402) return { code: 'quota', retryable: false }
  if (status === 401 || status === 403) return { code: 'auth', retryable: false }
  if (status === 404) return { code: 'not_found', retryable: false }
  if (status === 408 || status === 504) return { code: 'timeout', retryable: true }
  if (status === 429) return { code: 'rate_limit', retryable: true }
  if (status === 501) return { code: 'unsupported', retryable: false }
  if (status >= 500) return { code: 'api', retryable: true }
  return { code: 'invalid_request', retryable: status === 409 || status === 425 }
}
