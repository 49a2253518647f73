import type { MessagePort } from 'node:worker_threads'
import { ServiceError } from '../http/service-error.js'

export interface TaskContext {
  /** Aborts when the result is no longer needed. */
  readonly signal: AbortSignal
}

/**
 * A heavy function that runs in a worker thread. Its input and output are cloned. A generator returns a stream of
 * bytes.
 */
type Task = (input: never, context: TaskContext) => unknown

/** Creates the main function of a worker thread. It runs the task that a job names. */
export function answerJobs(tasks: Readonly<Record<string, Task>>): (job: Job) => Promise<Outcome> {
  return async ({ name, input, port }) => {
    port.postMessage('begun')
    const stop = new AbortController()
    const demand = toDemand(port, stop)
    const task = tasks[name] as ((input: unknown, context: TaskContext) => unknown) | undefined
    try {
      if (!task) throw new Error(`No task "${name}".`)
      const output = await task(input, { signal: stop.signal })
      if (!isStream(output)) return { output }
      for await (const chunk of output) {
        await demand()
        if (stop.signal.aborted) break
        port.postMessage(chunk)
      }
      port.postMessage(null)
      return { output: undefined }
    } catch (error) {
      if (error instanceof ServiceError) return { failure: toFailure(error) }
      throw error
    }
  }
}

function isStream(output: unknown): output is AsyncIterable<Uint8Array> {
  return typeof output === 'object' && output !== null && Symbol.asyncIterator in output
}

// Each "more" message permits one chunk.
function toDemand(port: MessagePort, stop: AbortController): () => Promise<void> {
  let room = 0
  let wake = (): void => {}
  port.on('message', (message: 'more' | 'stop') => {
    if (message === 'more') room++
    else stop.abort()
    wake()
  })
  return async () => {
    while (room === 0 && !stop.signal.aborted) await new Promise<void>((resolve) => (wake = resolve))
    room--
  }
}

/** A task that is sent to a worker. */
export interface Job {
  readonly name: string
  readonly input: unknown
  /**
   * The port to the caller. The worker receives `stop` and `more`. It sends `begun`, then the chunks of a stream, then
   * null.
   */
  readonly port: MessagePort
}

/** The result of a job. A ServiceError is sent between threads as plain fields. All other errors are thrown. */
export type Outcome = { readonly output: unknown } | { readonly failure: Failure }

interface Failure {
  readonly status: number
  readonly code: string | null
  readonly message: string
  readonly param: string | null
  readonly headers: Readonly<Record<string, string>>
}

function toFailure({ status, code, message, param, headers }: ServiceError): Failure {
  return { status, code, message, param, headers }
}

export function fromFailure({ status, code, message, param, headers }: Failure): ServiceError {
  return new ServiceError(status, code, message, param, headers)
}
