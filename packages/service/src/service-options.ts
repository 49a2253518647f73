import { randomBytes } from 'node:crypto'

export interface ServiceOptions {
  /** Default: 0, any free port. */
  readonly port?: number | undefined
  /** The address to listen at. Default: `127.0.0.1`, reachable from this machine only. */
  readonly host?: string | undefined
  /** The key clients must send. Default: a random one. */
  readonly apiKey?: string | undefined
  /** The largest body taken, in bytes. Default: 32 MB. */
  readonly maxBodyBytes?: number | undefined
  /**
   * Receives a line per request (method, path, status, milliseconds) and one for each internal failure (its kind and
   * place), never any content. Default: nobody.
   */
  readonly log?: ((line: string) => void) | undefined
}

type Log = Pick<ServiceOptions, 'log'>
type Checked = {
  readonly [Key in Exclude<keyof ServiceOptions, 'log'>]-?: NonNullable<ServiceOptions[Key]>
} & Log

/** The options with their defaults. @throws TypeError naming the option that is wrong */
export function checkOptions(options: ServiceOptions): Checked {
  const { port = 0, host = '127.0.0.1', apiKey = randomBytes(24).toString('base64url') } = options
  const { maxBodyBytes = 32 * 2 ** 20, log } = options
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new TypeError(`port must be a whole number from 0 to 65535, not ${port}.`)
  }
  if (host === '') throw new TypeError('host must be an address to listen at, such as 127.0.0.1.')
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError(
      'apiKey must be at least one visible ASCII character, and no spaces: it travels in a header.',
    )
  }
  if (!(maxBodyBytes > 0)) throw new TypeError(`maxBodyBytes must be more than 0, not ${maxBodyBytes}.`)
  return { port, host, apiKey, maxBodyBytes, log }
}
