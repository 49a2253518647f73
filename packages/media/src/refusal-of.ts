import { isPublicAddress } from './is-public-address.js'

/** The addresses of a host; undefined where the runtime cannot tell. */
export type Resolve = (host: string) => Promise<readonly string[]> | undefined

/**
 * Why an address that a server named must not be fetched, or undefined when it may be: on the service's own
 * origin, or on a public host by https. Otherwise a server could have us read what only we can reach.
 */
export async function refusalOf(
  url: URL,
  baseURL: string,
  resolve: Resolve = lookUp,
): Promise<string | undefined> {
  const own = new URL(baseURL).origin
  if (url.username || url.password) return `${url.host} is addressed with a user name or a password`
  if (url.origin === own) return undefined
  const rule = `only public https addresses and ${own} are fetched; give the service the baseURL by which it names its files, or have it send b64_json`
  if (url.protocol !== 'https:') return `${url.protocol}//${url.host} is refused, ${rule}`
  const host = url.hostname.replace(/^\[|\]$|\.$/g, '')
  const addresses = isLocalName(host) ? [] : await (resolve(host) ?? [host])
  const isPublic = addresses.length > 0 && addresses.every(isPublicAddress)
  return isPublic ? undefined : `${url.host} is no public host, ${rule}`
}

function isLocalName(host: string): boolean {
  return /(^|\.)(localhost|local|internal|lan|home\.arpa)$/.test(host)
}

/** What is fetched is looked up once more by fetch itself: a name server that changes its answer in between is not caught. */
function lookUp(host: string): ReturnType<Resolve> {
  const dns = globalThis.process?.getBuiltinModule?.('node:dns')
  return dns?.promises.lookup(host, { all: true }).then((found) => found.map(({ address }) => address))
}
