import type { MessagePort } from 'node:worker_threads'
import { ServiceError } from '../http/service-error.js'

/** One task on its way to a worker. */
export interface Job {
  readonly name: string
  readonly input: unknown
  /** The worker gets `stop` and `more` through it, and sends `begun`, then the chunks of a stream, then null. */
  readonly port: MessagePort
}

/** What came of it: a failure that has an answer of its own crosses as plain fields, any other is thrown. */
export type Outcome = { readonly output: unknown } | { readonly failure: Failure }

export interface Failure {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly param: string | null
  readonly headers: Readonly<Record<string, string>>
}

export function toFailure({ status, code, message, param, headers }: ServiceError): Failure {
  return { status, code, message, param, headers }
}

export function fromFailure({ status, code, message, param, headers }: Failure): ServiceError {
  return new ServiceError(status, code, message, param, headers)
}
