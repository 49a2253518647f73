import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { HttpError } from '@capstan/http/parts'

/** Access to the studio: the token of the printed link becomes a cookie. */
export class Access {
  /** The token in the link that opens the page. It is new at each start. */
  readonly token = randomBytes(32).toString('base64url')
  readonly #cookie = randomBytes(32).toString('base64url')
  readonly #name: string
  readonly #attempts = new Slowdown()

  /** The cookie's name contains the port, because browsers send cookies to every port of a host. */
  constructor(port: number) {
    this.#name = `capstan_studio_${port}`
  }

  /**
   * Returns the page that sets the cookie and replaces its own URL. It is not a redirect, because browsers send no
   * `SameSite=Strict` cookie after a redirect that started on another site.
   * @throws HttpError 403 for a wrong token
   */
  async enter(token: string): Promise<Response> {
    const isRight = isEqual(token, this.token)
    await this.#attempts.attempt(isRight)
    const advice = 'Open the link that the command printed at its last start.'
    if (!isRight) throw new HttpError(403, 'wrong_token', `This link is not valid. ${advice}`)
    const cookie = `${this.#name}=${this.#cookie}; HttpOnly; SameSite=Strict; Path=/`
    return new Response(entrance, {
      headers: { 'content-type': 'text/html; charset=utf-8', 'set-cookie': cookie },
    })
  }

  /** @throws HttpError 401 without this start's cookie */
  async check(request: Request): Promise<void> {
    const sent = cookiesOf(request.headers.get('cookie') ?? '', this.#name)
    if (sent.some((cookie) => isEqual(cookie, this.#cookie))) return
    if (sent.length > 0) await this.#attempts.attempt(false)
    throw new HttpError(401, 'no_access', 'Open the link that the command printed: it contains the token.')
  }
}

const entrance = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="0;url=/">
<title>capstan studio</title>
<p><a href="/">Open the studio</a></p>
</html>
`

/** Compares strings in constant time, whatever their lengths. */
function isEqual(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Returns the values of a cookie. A browser may send several with the same name. */
function cookiesOf(header: string, name: string): readonly string[] {
  return header.split(';').flatMap((pair) => {
    const [key = '', ...value] = pair.trim().split('=')
    return key === name ? [value.join('=')] : []
  })
}

/** Delays attempts after wrong ones. */
class Slowdown {
  #last: Promise<void> = Promise.resolve()
  #waiting = 0

  /** Waits for earlier attempts, and after a wrong one. @throws HttpError 429 if too many are waiting */
  async attempt(isRight: boolean): Promise<void> {
    if (this.#waiting >= mostWaiting) throw new HttpError(429, 'too_many', 'Too many attempts. Retry later.')
    this.#waiting += 1
    this.#last = this.#last.then(() => (isRight ? undefined : sleep(holdMs)))
    await this.#last
    this.#waiting -= 1
  }
}

const holdMs = 100
const mostWaiting = 20
