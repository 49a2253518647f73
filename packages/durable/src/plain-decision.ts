import { CapstanError, type Decision } from '@capstan/core'

/** A decision as it is kept. @throws CapstanError `invalid_request` for what JSON does not hold */
export function plainDecision(decision: Decision, callId: string): Decision {
  try {
    return JSON.parse(JSON.stringify(decision))
  } catch (cause) {
    const message = `The decision on "${callId}" has a value that cannot be written as JSON.`
    throw new CapstanError('invalid_request', message, { cause, evidence: { callId } })
  }
}
