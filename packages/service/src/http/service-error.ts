/** A failure that is answered as `{ error: { message, type, code, param } }` with its HTTP status. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** The request field at fault. */
    readonly param: string | null = null,
  ) {
    super(message)
  }

  toJSON(): { error: { message: string; type: string; code: string; param: string | null } } {
    const type =
      this.status === 401
        ? 'authentication_error'
        : this.status < 500
          ? 'invalid_request_error'
          : 'server_error'
    return { error: { message: this.message, type, code: this.code, param: this.param } }
  }
}
