import { withoutCredentials } from '../secrets/without-credentials.js'
import { isForModel, messageOf } from '../words/error.js'
import { fingerprint } from '../words/fingerprint.js'
import type { StepContext } from '../words/host.js'
import { reportFailure } from '../words/listener.js'
import type { ToolCall } from '../words/message.js'
import { orAborted } from '../words/or-aborted.js'
import type { Answer } from '../words/state.js'
import { refusal } from './refusals.js'

/** A call whose function failed. */
export interface FailedCall {
  readonly callId: string
  readonly name: string
  readonly arguments: unknown
}

/**
 * Returns the text that the model reads about an error, or undefined for the usual text. Credentials in it are
 * replaced. When it throws, the model reads the usual text, and a process warning reports the failure.
 */
export type OnToolError = (
  error: unknown,
  call: FailedCall,
) => string | undefined | Promise<string | undefined>

/** Settings for the text that the model reads about errors of tools. */
export interface ToolErrors {
  /** `all`: the message of every error. `expected`: that of a ToolError; of others only that the tool failed. */
  readonly shown: 'all' | 'expected'
  readonly onToolError?: OnToolError | undefined
}

/** Shared by the failing calls of one step. */
export interface ErrorSettings {
  readonly toolErrors: ToolErrors
  /** Errors by call id: they are not recorded. */
  readonly failures: Map<string, unknown>
}

/** The result of a call that failed. Its text has no credentials, unless a ToolError contains them. */
export async function toolFailure(
  error: unknown,
  { call, args }: { readonly call: ToolCall; readonly args: unknown },
  { toolErrors: { shown, onToolError }, failures }: ErrorSettings,
  step: StepContext,
): Promise<Answer> {
  const { name } = call.function
  failures.set(call.id, error)
  const failed = { callId: call.id, name, arguments: args }
  const own = onToolError && (await ownText(() => onToolError(error, failed), step))
  if (own !== undefined) return refusal('error', withoutCredentials(own))
  if (isForModel(error)) return refusal('error', messageOf(error))
  if (shown === 'all') return refusal('error', withoutCredentials(messageOf(error)))
  return hiddenFailure(`"${name}" failed`, step.idempotencyKey)
}

/** The result of a call whose error the model does not read. A repeated step gets the same reference. */
export function hiddenFailure(what: string, idempotencyKey: string): Answer {
  const errorId = `err_${fingerprint(idempotencyKey)}`
  return { ...refusal('error', `${what} (reference ${errorId}).`), errorId }
}

async function ownText(
  write: () => string | undefined | Promise<string | undefined>,
  { signal }: StepContext,
): Promise<string | undefined> {
  try {
    const text: unknown = await orAborted(signal, Promise.resolve(write()))
    if (text === undefined || typeof text === 'string') return text
    throw new TypeError(`onToolError returned a ${typeof text}. Return a string or undefined.`)
  } catch (error) {
    if (!signal.aborted) reportFailure(error)
    return undefined
  }
}
