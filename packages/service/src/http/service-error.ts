/** A failure that is answered as `{ error: { message, type, code, param } }` with its HTTP status. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** The request field at fault. */
    readonly param: string | null = null,
    /** Headers of the answer, for example `retry-after`. */
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
  }

  toJSON(): { error: { message: string; type: string; code: string; param: string | null } } {
    return { error: { message: this.message, type: typeOf(this.status), code: this.code, param: this.param } }
  }
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error'
  if (status === 429) return 'rate_limit_error'
  return status < 500 ? 'invalid_request_error' : 'server_error'
}
