import { CapstanError } from '../errors.js'

export interface BaseURL {
  /** Without a slash at its end, and without parameters. */
  readonly address: string
  /** Parameters of every request, with their `?`; `''` for none. */
  readonly query: string
}

/**
 * The address of a service, `/v1` added when the path is empty.
 * @throws CapstanError `invalid_request` when it is no http address, or holds a user name or password
 */
export function toBaseURL(text: string): BaseURL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) {
    // It may be a key that was pasted into the wrong field.
    const message = `baseURL "${text.slice(0, 4)}..." is no http address. It looks like https://api.example.com/v1.`
    throw new CapstanError('invalid_request', message)
  }
  refuseCredentials(text)
  const path = url.pathname.replace(/\/+$/, '')
  return { address: url.origin + (path === '' ? '/v1' : path), query: url.search }
}

/** @throws CapstanError `invalid_request` when an address holds a user name or password: `fetch` takes none, and quotes them */
export function refuseCredentials(address: string): void {
  if (!URL.canParse(address)) return
  const { username, password, host } = new URL(address)
  if (username === '' && password === '') return
  const message = `baseURL holds a user name or password for ${host}. Take them out and send them as a header: authorization: "Basic ..." with the base64 of "user:password".`
  throw new CapstanError('invalid_request', message, { evidence: { host } })
}
