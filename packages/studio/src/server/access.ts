import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { HttpError } from '@capstan/http/parts'

/** Controls access to the studio: opening the printed link, which contains a token, sets a cookie. */
export class Access {
  /** The token in the link that opens the page. A new one is created each time the studio starts. */
  readonly token = randomBytes(32).toString('base64url')
  readonly #cookie = randomBytes(32).toString('base64url')
  readonly #name: string
  readonly #attempts = new Slowdown()

  /** `port` is part of the cookie's name, because browsers send a host's cookies to all of its ports. */
  constructor(port: number) {
    this.#name = `capstan_studio_${port}`
  }

  /**
   * Returns a page that sets the cookie and then opens the studio. A redirect would not work: if the link is on another
   * site, browsers do not send a `SameSite=Strict` cookie after the redirect.
   * @throws HttpError 403 for a wrong token
   */
  async enter(token: string): Promise<Response> {
    const isRight = isEqual(token, this.token)
    await this.#attempts.attempt(isRight)
    const advice = 'Open the link that the studio printed when it was last started.'
    if (!isRight) throw new HttpError(403, 'wrong_token', `This link is not valid. ${advice}`)
    const cookie = `${this.#name}=${this.#cookie}; HttpOnly; SameSite=Strict; Path=/`
    return new Response(entrance, {
      headers: { 'content-type': 'text/html; charset=utf-8', 'set-cookie': cookie },
    })
  }

  /**
   * Checks a request's cookie. @throws HttpError 401 if it is missing, or was set before the studio was last started
   */
  async check(request: Request): Promise<void> {
    const sent = cookiesOf(request.headers.get('cookie') ?? '', this.#name)
    if (sent.some((cookie) => isEqual(cookie, this.#cookie))) return
    if (sent.length > 0) await this.#attempts.attempt(false)
    throw new HttpError(401, 'no_access', 'Open the link that the studio printed. It contains the token.')
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

/** Compares strings in constant time, even if their lengths differ. */
function isEqual(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Returns the values of all cookies with this name, because a browser can send several. */
function cookiesOf(header: string, name: string): readonly string[] {
  return header.split(';').flatMap((pair) => {
    const [key = '', ...value] = pair.trim().split('=')
    return key === name ? [value.join('=')] : []
  })
}

/** Slows down guessing: each wrong attempt delays all later attempts. */
class Slowdown {
  #last: Promise<void> = Promise.resolve()
  #waiting = 0

  /**
   * Waits for earlier attempts and, if this attempt is wrong, for another 100 ms.
   * @throws HttpError 429 if too many attempts are waiting
   */
  async attempt(isRight: boolean): Promise<void> {
    if (this.#waiting >= mostWaiting)
      throw new HttpError(429, 'too_many', 'Too many attempts. Try again later.')
    this.#waiting += 1
    this.#last = this.#last.then(() => (isRight ? undefined : sleep(holdMs)))
    await this.#last
    this.#waiting -= 1
  }
}

const holdMs = 100
const mostWaiting = 20
