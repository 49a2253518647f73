import { CapstanError } from '../words/error.js'
import { reasonOf } from './reason-of.js'

export interface Asked {
  readonly url: string
  readonly client: object
}

/** The error for what an `openai` client threw without an answer: nothing came, or nothing was sent. */
export function toUnanswered(thrown: unknown, { url, client }: Asked): CapstanError {
  return isOfKeyFunction(thrown, client) ? withoutKey(thrown, url) : noAnswer(thrown, url)
}

/** Whether a client refused to begin for want of a key. */
export function isAboutKeys(thrown: unknown): boolean {
  return /missing credentials|authentication method/i.test(String(thrown))
}

/** Whether the function that gives a client its key failed: all that is no word of an answer, nor of a header. */
function isOfKeyFunction(thrown: unknown, client: object): boolean {
  if (/'apiKey' function/.test(String(thrown))) return true
  const { _options: options } = client as { _options?: { apiKey?: unknown } }
  return (
    typeof options?.apiKey === 'function' && !('status' in Object(thrown)) && !(thrown instanceof TypeError)
  )
}

/** What such a function throws may hold any key, and nobody here knows which. */
function withoutKey(thrown: unknown, url: string): CapstanError {
  const why = `the function that gives the client its key failed (${kindOf(thrown)})`
  return new CapstanError('auth', `Nothing was sent to ${shown(url)}: ${why}.`)
}

function noAnswer(thrown: unknown, url: string): CapstanError {
  const reason = reasonOf(thrown)
  if (isAboutKeys(thrown)) {
    return new CapstanError('auth', `Nothing was sent to ${shown(url)}: ${reason}.`, { cause: thrown })
  }
  const code = /timed? ?out/i.test(`${thrown} ${reason}`) ? 'timeout' : 'network'
  const message = `No answer from ${shown(url)}: ${reason}. Check baseURL and whether the server runs.`
  return new CapstanError(code, message, { retryable: true, cause: thrown })
}

/** An address without its parameters, which may be keys. */
function shown(url: string): string {
  if (!URL.canParse(url)) return 'a baseURL that is no address'
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

/** The class of the error at the end of its causes. */
function kindOf(thrown: unknown): string {
  const { cause } = Object(thrown) as { cause?: unknown }
  const name: unknown = Object(cause ?? thrown).constructor?.name
  return typeof name === 'string' && /^[A-Z][A-Za-z]{0,40}$/.test(name) ? name : 'Error'
}
