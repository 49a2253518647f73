// Remote calls over a channel that sends messages, such as the channel to a forked process.

import { CapstanError, type ErrorCode, isCapstanError } from '@capstan/core'
import { messageOf } from '@capstan/core/internal'

/** Methods by name. Each takes one argument that can be sent as a message. */
type Methods = { readonly [name: string]: (params: never) => Promise<unknown> }

type ParamsOf<Method> = Method extends (params: infer Params) => unknown ? Params : undefined
type ResultOf<Method> = Method extends (...args: never) => Promise<infer Result> ? Result : never

interface Call {
  readonly id: number
  readonly method: string
  readonly params: unknown
}

interface Reply {
  readonly id: number
  readonly value?: unknown
  readonly error?: SentError
}

interface SentError {
  readonly message: string
  readonly code?: string
  readonly evidence?: Readonly<Record<string, unknown>>
  readonly stack?: string
}

/** Calls the methods that the process at the other end of the channel serves. */
export class RpcClient<Served> {
  readonly #post: (message: unknown) => void
  readonly #waiting = new Map<number, { resolve(value: never): void; reject(error: Error): void }>()
  #next = 0
  #closed: Error | undefined

  constructor(post: (message: unknown) => void) {
    this.#post = post
  }

  /** Calls a method. Rejects with the error that the method threw, or with an `Error` if the process has ended. */
  call<Name extends keyof Served & string>(
    method: Name,
    params: ParamsOf<Served[Name]>,
  ): Promise<ResultOf<Served[Name]>> {
    if (this.#closed) return Promise.reject(this.#closed)
    const id = this.#next++
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#post({ id, method, params } satisfies Call)
    })
  }

  /** Handles a message from the channel. Ignores messages that are not replies to a call. */
  receive(message: unknown): void {
    const { id, value, error } = Object(message) as Partial<Reply>
    const waiting = id === undefined ? undefined : this.#waiting.get(id)
    if (id === undefined || !waiting) return
    this.#waiting.delete(id)
    if (error) waiting.reject(toError(error))
    else waiting.resolve(value as never)
  }

  /** Rejects all open calls and all later ones with `reason`. */
  close(reason: Error): void {
    this.#closed = reason
    for (const { reject } of this.#waiting.values()) reject(reason)
    this.#waiting.clear()
  }
}

/** Returns a function that handles received messages: it calls the methods and posts their results or errors. */
export function serveRpc(
  methods: object,
  post: (message: unknown) => void,
): (message: unknown) => Promise<void> {
  const known = new Map(Object.entries(methods as Methods))
  return async (message) => {
    const { id, method, params } = Object(message) as Partial<Call>
    if (id === undefined || method === undefined) return
    try {
      const found = known.get(method)
      if (!found) throw new Error(`There is no method "${method}".`)
      post({ id, value: await found(params as never) } satisfies Reply)
    } catch (error) {
      post({ id, error: toSent(error) } satisfies Reply)
    }
  }
}

function toSent(error: unknown): SentError {
  const stack = error instanceof Error && error.stack !== undefined ? { stack: error.stack } : {}
  if (!isCapstanError(error)) return { message: messageOf(error), ...stack }
  const { message, code, evidence } = error
  return { message, code, ...stack, ...(evidence ? { evidence: toData(evidence) } : {}) }
}

/** Returns an error's evidence as plain JSON. Empty if it cannot be converted. */
function toData(evidence: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(JSON.stringify(evidence)) as Readonly<Record<string, unknown>>
  } catch {
    return {}
  }
}

function toError({ message, code, evidence = {}, stack }: SentError): Error {
  const error =
    code === undefined ? new Error(message) : new CapstanError(code as ErrorCode, message, { evidence })
  if (stack !== undefined) error.stack = stack
  return error
}
