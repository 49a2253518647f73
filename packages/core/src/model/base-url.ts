import { CapstanError } from '../errors.js'

export interface BaseURL {
  /** The address without a trailing slash and without parameters. */
  readonly address: string
  /** The parameters of every request, starting with `?`. `''` for none. */
  readonly query: string
}

/**
 * Parses the address of a service. `/v1` is added if the path is empty.
 * @throws CapstanError `invalid_request` when it is not an http address, or contains a user name or password
 */
export function toBaseURL(text: string): BaseURL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) {
    // The value may be a key that was pasted into the wrong field.
    const message = `baseURL "${text.slice(0, 4)}..." is not an http address. Use one like https://api.example.com/v1.`
    throw new CapstanError('invalid_request', message)
  }
  rejectCredentials(text)
  const path = url.pathname.replace(/\/+$/, '')
  return { address: url.origin + (path === '' ? '/v1' : path), query: url.search }
}

/**
 * Rejects an address with a user name or password: `fetch` does not accept them and quotes them in its error.
 * @throws CapstanError `invalid_request`
 */
export function rejectCredentials(address: string): void {
  if (!URL.canParse(address)) return
  const { username, password, host } = new URL(address)
  if (username === '' && password === '') return
  const message = `baseURL contains a user name or password for ${host}. Send them as the header authorization: "Basic ..." with the base64 of "user:password".`
  throw new CapstanError('invalid_request', message, { evidence: { host } })
}
