import type { ServerResponse } from 'node:http'

/** Thrown in place of an answer, or of its rest: the connection is reset, or ends as if the server had. */
export class Disconnect extends Error {
  override readonly name = 'Disconnect'

  constructor(readonly how: 'reset' | 'cut') {
    super(`The connection is to be ${how}.`)
  }

  end(response: ServerResponse): void {
    if (this.how === 'reset') response.socket?.resetAndDestroy()
    else response.destroy()
  }
}
