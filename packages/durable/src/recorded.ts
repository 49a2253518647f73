import {
  CapstanError,
  type ErrorCode,
  type HostStep,
  isCapstanError,
  type Json,
  type RunState,
  type StepContext,
} from '@capstan/core'

/**
 * A step's result in the form in which an engine stores it. A failed model request is also a result, so the engine does
 * not retry it.
 */
export type Recorded =
  | { readonly ok: true; readonly value?: Json }
  | { readonly ok: false; readonly error: RecordedError }

/** An error in the form in which an engine stores it. */
export interface RecordedError {
  /** Absent if the error is not a CapstanError. */
  readonly code?: ErrorCode
  readonly message: string
  readonly retryable?: boolean
  readonly retryAfterMs?: number
  readonly status?: number
  readonly evidence?: Json
}

/** The default for `maxStepBytes`. Store larger data, such as media, as artifacts. */
export const defaultMaxStepBytes = 256 * 1024

/**
 * Runs a step, and returns its result or error in stored form.
 * @throws only if the step was aborted, because it then has no result
 */
export async function record<T>(
  { run, options }: HostStep<T>,
  context: StepContext,
  maxBytes = defaultMaxStepBytes,
): Promise<Recorded> {
  try {
    const value = await run(context)
    const text = JSON.stringify(value)
    if (text === undefined) return { ok: true }
    const bytes = Buffer.byteLength(text)
    if (bytes <= maxBytes) return { ok: true, value: JSON.parse(text) as Json }
    return options?.kind === 'tool'
      ? { ok: true, value: toOversizedOutcome(value, { name: options.name, bytes, maxBytes }) }
      : {
          ok: false,
          error: {
            code: 'invalid_response',
            message: tooLargeMessage('The model replied, but the reply', bytes, maxBytes),
          },
        }
  } catch (error) {
    if (context.signal.aborted) throw error
    return { ok: false, error: toRecorded(error) }
  }
}

/**
 * Returns the value of a recorded step.
 * @throws the error of a failed step
 */
export function reveal<T>(recorded: Recorded): T {
  if (recorded.ok) return recorded.value as T
  throw fromRecorded(recorded.error)
}

/** Converts an error to the form that engines store. Omits the cause, the stack and the run's state. */
export function toRecorded(error: unknown): RecordedError {
  if (!isCapstanError(error)) return { message: error instanceof Error ? error.message : String(error) }
  const { code, message, retryable, retryAfterMs, status, evidence } = error
  return JSON.parse(JSON.stringify({ code, message, retryable, retryAfterMs, status, evidence }))
}

/** Restores an error from the form that engines store. An error without a code becomes a plain Error. */
export function fromRecorded({ code, message, evidence, ...details }: RecordedError): Error {
  if (code === undefined) return new Error(message)
  return new CapstanError(code, message, {
    ...details,
    ...(evidence === undefined ? {} : { evidence: evidence as Readonly<Record<string, Json>> }),
  })
}

/**
 * Replaces a result that is too large with an error message for the model. Keeps the rest of the outcome, because the
 * tool's function has run.
 */
function toOversizedOutcome(
  outcome: unknown,
  { name, bytes, maxBytes }: { readonly name: string; readonly bytes: number; readonly maxBytes: number },
): Json {
  const { result: _, content: __, ...rest } = outcome as Readonly<Record<string, Json>>
  const content = `Error: ${tooLargeMessage(`The tool "${name}" ran, but its result`, bytes, maxBytes)}`
  return { ...rest, status: 'error', content }
}

function tooLargeMessage(what: string, bytes: number, maxBytes: number): string {
  return `${what} is ${bytes} bytes long (maxStepBytes: ${maxBytes}). Store bytes and long texts with ctx.artifacts.put(...) and return the artifacts.`
}

/**
 * Attaches a failed run's state to its error. The property is not enumerable, so that logs do not include the
 * conversation.
 */
export function withState(error: Error, state: RunState): Error {
  return Object.defineProperty(error, 'state', { value: state, enumerable: false, configurable: true })
}
