import type { Decision, PendingCall } from '@capstan/core'
import { HttpError } from './http-error.js'

/**
 * A caller says yes or no to the house's tools, and gives results of its own ones alone. @throws HttpError 400, and
 * 404 for a call that does not wait
 */
export function checkAnswer(
  callId: string,
  decision: unknown,
  kind: PendingCall['kind'] | undefined,
): asserts decision is Decision {
  if (kind === undefined) throw new HttpError(404, 'not_found', `No call ${JSON.stringify(callId)} waits.`)
  const { type } = (decision ?? {}) as { type?: unknown }
  const fitting = kind === 'result' ? ['result'] : ['approve', 'deny']
  if (fitting.includes(String(type))) return
  const message = `The call ${JSON.stringify(callId)} waits for a decision of the type ${fitting.join(' or ')}.`
  throw new HttpError(400, 'invalid_request', message)
}
