import type { LookupFunction } from 'node:net'

/** The URLs that may be fetched. */
export interface FetchPolicy {
  /** The service's origin, which is always allowed. */
  readonly ownOrigin?: string
  /**
   * Hosts that the application allows, such as `cdn.example.com` or `localhost:8080`. Without a port, the scheme's
   * default port applies.
   */
  readonly hosts?: readonly string[]
  /** Allows any public host: only over https, or also over http. Default: none. */
  readonly anyPublic?: 'https' | 'http'
}

/**
 * Returns the reason why a URL is blocked. Undefined if it is allowed. Checks only the URL; the lookup checks the
 * addresses that a name resolves to. Otherwise an untrusted source could make this process read private hosts.
 */
export function blockReason(url: URL, policy: FetchPolicy): string | undefined {
  const { ownOrigin, hosts = [], anyPublic } = policy
  if (url.username || url.password) return `${url.host} is addressed with a user name or a password`
  if (url.origin === ownOrigin) return undefined
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return `${url.protocol}//${url.host} is blocked, ${describePolicy(policy)}`
  if (isListed(url, hosts)) return undefined
  if (!anyPublic || (anyPublic === 'https' && url.protocol !== 'https:'))
    return `${url.protocol}//${url.host} is blocked, ${describePolicy(policy)}`
  return isPrivate(url) ? `${url.host} is not a public host, ${describePolicy(policy)}` : undefined
}

/**
 * Whether a URL is allowed without a check of its lookup: the service's own origin, or a private address that the
 * application lists.
 */
export function isTrusted(url: URL, { ownOrigin, hosts = [] }: FetchPolicy): boolean {
  return url.origin === ownOrigin || (isListed(url, hosts) && isPrivate(url))
}

/** Describes the allowed URLs. */
export function describePolicy({ ownOrigin, hosts = [], anyPublic }: FetchPolicy): string {
  const all = [
    ...(anyPublic ? [anyPublic === 'https' ? 'public https addresses' : 'public addresses'] : []),
    ...(ownOrigin ? [ownOrigin] : []),
    ...hosts,
  ]
  return all.length === 0 ? 'no address can be fetched here' : `only ${joinWords(all)} are fetched`
}

function joinWords(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' and ')
}

/** Whether a host is listed. Compares as URLs, so that case and default ports make no difference. */
function isListed({ host, protocol }: URL, hosts: readonly string[]): boolean {
  return hosts.some(
    (one) => URL.canParse(`${protocol}//${one}`) && new URL(`${protocol}//${one}`).host === host,
  )
}

/** Whether a host is a local name or a private address. `URL` has normalized its spelling. */
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

// Loopback, private, link-local, shared, test, multicast and reserved networks, and all of IPv6 that is not global
// unicast. IPv6 forms that carry an IPv4 address could carry a private one.
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
 * Whether an IP address is public. A host name counts as public, because it is only passed if the runtime cannot look
 * it up. A number in a network unknown to the runtime is not public.
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

/** Resolves names and decides which addresses are public. */
export interface HostResolver {
  resolve(host: string): Promise<readonly { readonly address: string; readonly family: number }[]>
  isPublic(address: string): boolean
}

export const systemResolver: HostResolver = {
  resolve: (host) => process.getBuiltinModule('node:dns').promises.lookup(host, { all: true }),
  isPublic: isPublicAddress,
}

/** Thrown if a name resolves to a private address. */
export class PrivateHostError extends Error {}

/**
 * Returns a socket lookup that fails if any address of a name is not public. The socket connects to the checked
 * address, without a second lookup.
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
