import { CapstanError, type ErrorCode } from '@capstan/core'
import { type FailedResponse, type Failure, readFailure, withAdvice } from '@capstan/core/wire'

/** The error that a failed answer of an endpoint says, with what to do about it. */
export function toMediaError(endpoint: string, failed: FailedResponse): CapstanError {
  const failure = readFailure(failed)
  const { status, how, said, retryable, retryAfterMs } = failure
  const { code, advice } = toVerdict(failure)
  const requestID = failed.header('x-request-id')
  // No cause: the client's error keeps all of the answer, and an answer may repeat the key.
  return new CapstanError(code, `${endpoint} answered ${how}: ${withAdvice(ended(said), advice)}`, {
    status,
    retryable,
    evidence: { endpoint, status, ...(requestID ? { requestID } : {}) },
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
}

/** A server without the endpoint says 404 or 405; so does one without the model. */
function toVerdict({ status, code, said, labels }: Failure): { code: ErrorCode; advice: string | undefined } {
  const isMissing = code === 'not_found' || status === 405
  if (isMissing && !/model/i.test(`${labels} ${said}`)) {
    return { code: 'unsupported', advice: 'This server may not offer it: check baseURL or use another one.' }
  }
  return { code, advice: advice[code] }
}

const advice: Partial<Record<ErrorCode, string>> = {
  quota: 'Check the plan and billing of the account.',
  auth: 'Check the API key.',
  not_found: 'Name another model in the option "models".',
}

function ended(text: string): string {
  return /[.!?"]$/.test(text) ? text : `${text}.`
}
