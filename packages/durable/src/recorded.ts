import {
  CapstanError,
  type ErrorCode,
  isCapstanError,
  type Json,
  type RunStep,
  type StepContext,
} from '@capstan/core'

/** What came of a step, as an engine keeps it: a failure of the model is an outcome as well, and not tried again. */
export type Recorded =
  | { readonly ok: true; readonly value?: Json }
  | { readonly ok: false; readonly error: RecordedError }

export interface RecordedError {
  /** Absent for what was no CapstanError. */
  readonly code?: ErrorCode
  readonly message: string
  readonly retryable?: boolean
  readonly retryAfterMs?: number
  readonly status?: number
  readonly evidence?: Json
}

/** Bytes that one step may come to, unless said otherwise: media belongs into artifacts. */
export const defaultMaxStepBytes = 256 * 1024

/** Does a step, and says what is to be kept of it. @throws only when it was aborted: then nothing came of it */
export async function record<T>(
  { run, options }: RunStep<T>,
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
            message: tooLargeMessage('What the model answered', bytes, maxBytes),
          },
        }
  } catch (error) {
    if (context.signal.aborted) throw error
    return { ok: false, error: toRecorded(error) }
  }
}

/** What a recorded step came to. @throws what it failed with */
export function reveal<T>(recorded: Recorded): T {
  if (recorded.ok) return recorded.value as T
  throw fromRecorded(recorded.error)
}

export function toRecorded(error: unknown): RecordedError {
  if (!isCapstanError(error)) return { message: error instanceof Error ? error.message : String(error) }
  const { code, message, retryable, retryAfterMs, status, evidence } = error
  return JSON.parse(JSON.stringify({ code, message, retryable, retryAfterMs, status, evidence }))
}

export function fromRecorded({ code, message, evidence, ...details }: RecordedError): Error {
  if (code === undefined) return new Error(message)
  return new CapstanError(code, message, {
    ...details,
    ...(evidence === undefined ? {} : { evidence: evidence as Readonly<Record<string, Json>> }),
  })
}

/** The function of the tool has run: the model is told, and everything but the result is kept. */
function toOversizedOutcome(
  outcome: unknown,
  { name, bytes, maxBytes }: { readonly name: string; readonly bytes: number; readonly maxBytes: number },
): Json {
  const { result: _, content: __, ...rest } = outcome as Readonly<Record<string, Json>>
  const content = `Error: ${tooLargeMessage(`The tool "${name}" ran, and what it came to`, bytes, maxBytes)}`
  return { ...rest, status: 'error', content }
}

function tooLargeMessage(what: string, bytes: number, maxBytes: number): string {
  return `${what} is ${bytes} bytes long, more than a step may keep (maxStepBytes: ${maxBytes}). Keep bytes and long texts as artifacts, ctx.artifacts.put(...), and return those.`
}
