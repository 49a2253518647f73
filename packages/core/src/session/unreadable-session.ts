import { CapstanError } from '../words/error.js'

/** The error for a session that is there and cannot be read in full: reading less would lose the rest unseen. */
export function unreadableSession(
  id: string,
  why: string,
  evidence: Readonly<Record<string, unknown>>,
): CapstanError {
  const message = `Session "${id}" cannot be read: ${why}`
  return new CapstanError('invalid_state', message, { evidence: { id, ...evidence } })
}
