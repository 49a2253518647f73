import type { LookupFunction } from 'node:net'

/** The URLs that may be fetched. */
export interface FetchPolicy {
  /** The origin of the application's own service, which is always allowed. */
  readonly ownOrigin?: string
  /**
   * Hosts that the application allows, such as `cdn.example.com` or `localhost:8080`. Without a port, the default port
   * of the URL's scheme applies.
   */
  readonly hosts?: readonly string[]
  /**
   * Allows all public hosts: with `https` only over https, with `http` also over http. Default: only the hosts above
   * are allowed.
   */
  readonly anyPublic?: 'https' | 'http'
}

/**
 * Returns the reason why a URL is blocked, or undefined if it is allowed. Prevents untrusted sources from making this
 * process read from private hosts. Checks only the URL itself. `publicLookup` checks the addresses to which the host
 * name resolves.
 */
export function blockReason(url: URL, policy: FetchPolicy): string | undefined {
  const { ownOrigin, hosts = [], anyPublic } = policy
  if (url.username || url.password) return `the URL of ${url.host} contains a user name or a password`
  if (url.origin === ownOrigin) return undefined
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return `${url.protocol}//${url.host} is blocked; ${describePolicy(policy)}`
  if (isListed(url, hosts)) return undefined
  if (!anyPublic || (anyPublic === 'https' && url.protocol !== 'https:'))
    return `${url.protocol}//${url.host} is blocked; ${describePolicy(policy)}`
  return isPrivate(url) ? `${url.host} is not a public host; ${describePolicy(policy)}` : undefined
}

/**
 * Whether a URL may be fetched without checking the addresses to which its host name resolves. True for the service's
 * own origin, and for private hosts that the application allows.
 */
export function isTrusted(url: URL, { ownOrigin, hosts = [] }: FetchPolicy): boolean {
  return url.origin === ownOrigin || (isListed(url, hosts) && isPrivate(url))
}

/** Describes the allowed URLs, as a clause to end an error message. */
export function describePolicy({ ownOrigin, hosts = [], anyPublic }: FetchPolicy): string {
  const all = [
    ...(anyPublic ? [anyPublic === 'https' ? 'public https URLs' : 'public URLs'] : []),
    ...(ownOrigin ? [ownOrigin] : []),
    ...hosts,
  ]
  return all.length === 0 ? 'no URL can be fetched here' : `only ${joinWords(all)} are fetched`
}

function joinWords(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' and ')
}

/**
 * Whether the list contains the host of a URL. Compares parsed URLs, so that case and default ports make no difference.
 */
function isListed({ host, protocol }: URL, hosts: readonly string[]): boolean {
  return hosts.some(
    (one) => URL.canParse(`${protocol}//${one}`) && new URL(`${protocol}//${one}`).host === host,
  )
}

/** Whether the host of a URL is a local name or a private address. `URL` has already normalized its spelling. */
function isPrivate({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$|\.$/g, '')
  return isLocalName(host) || (isLiteral(host) && !isPublicAddress(host))
}

function isLiteral(host: string): boolean {
  return host.includes(':') || /^[\d.]+$/.test(host)
}

function isLocalName(host: string): boolean {
  return (
    !isLiteral(host) && (!host.includes('.') || /\.(localhost|local|internal|lan|home\.arpa)$/.test(host))
  )
}

// Loopback, private, link-local, shared, test, multicast and reserved networks, and all IPv6 addresses that are not
// global unicast. Also IPv6 ranges with an embedded IPv4 address, which could be a private one.
const notPublic = {
  ipv4: [
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.88.99.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 3],
  ],
  ipv6: [
    ['::', 3],
    ['4000::', 2],
    ['8000::', 1],
    ['2001::', 23],
    ['2001:db8::', 32],
    ['2002::', 16],
    ['3fff::', 20],
  ],
} as const

/**
 * Whether an IP address is public. A host name counts as public, because one is only passed if the runtime cannot
 * resolve names. Without `node:net`, no IP address counts as public.
 */
export function isPublicAddress(address: string): boolean {
  const net = globalThis.process?.getBuiltinModule?.('node:net')
  if (!net) return /[a-z]/i.test(address) && !address.includes(':')
  const [plain = ''] = address.split('%')
  const version = net.isIP(plain)
  if (version === 0) return address.includes('.')
  const family = version === 6 ? 'ipv6' : 'ipv4'
  const list = new net.BlockList()
  for (const [network, prefix] of notPublic[family]) list.addSubnet(network, prefix, family)
  return !list.check(plain, family)
}

/** Resolves host names, and determines which addresses are public. */
export interface HostResolver {
  resolve(host: string): Promise<readonly { readonly address: string; readonly family: number }[]>
  isPublic(address: string): boolean
}

export const systemResolver: HostResolver = {
  resolve: (host) => process.getBuiltinModule('node:dns').promises.lookup(host, { all: true }),
  isPublic: isPublicAddress,
}

/** Thrown if a host name resolves to an address that is not public, or to no address. */
export class PrivateHostError extends Error {}

/**
 * Returns a `lookup` function for sockets. It fails with PrivateHostError if any of a host's addresses is not public.
 * The socket connects to an address that was checked, without a second lookup.
 */
export function publicLookup({ resolve, isPublic }: HostResolver): LookupFunction {
  return (host, { all }, found) => {
    resolve(host).then(
      (addresses) => {
        const [first] = addresses
        if (!first || !addresses.every(({ address }) => isPublic(address)))
          return found(new PrivateHostError(host), '', 0)
        if (all) found(null, [...addresses])
        else found(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => found(error, '', 0),
    )
  }
}
