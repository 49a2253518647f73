import { toErrorBody } from '@capstan/protocols/errors'

/** An error that is sent as a response: `{ error: { message, type, code, param } }` with an HTTP status. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'

  constructor(
    readonly status: number,
    readonly code: string | null,
    message: string,
    /** The invalid field of the request, if any. */
    readonly param: string | null = null,
    /** Response headers, such as `retry-after`. */
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
  }

  toJSON(): { error: ReturnType<typeof toErrorBody> } {
    const body = toErrorBody(this)
    return { error: this.status === 401 ? { ...body, type: 'authentication_error' } : body }
  }
}
