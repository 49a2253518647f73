/** An error with a response: `{ error: { message, type, code, param } }` and an HTTP status. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'

  constructor(
    readonly status: number,
    readonly code: string | null,
    message: string,
    /** The invalid request field. */
    readonly param: string | null = null,
    /** Headers of the response, for example `retry-after`. */
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
  }

  toJSON(): { error: { message: string; type: string; code: string | null; param: string | null } } {
    return { error: { message: this.message, type: typeOf(this.status), code: this.code, param: this.param } }
  }
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error'
  if (status === 429) return 'rate_limit_error'
  return status < 500 ? 'invalid_request_error' : 'server_error'
}
