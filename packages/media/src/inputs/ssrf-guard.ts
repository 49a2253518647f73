import type { LookupFunction } from 'node:net'

/** Which addresses may be fetched. */
export interface Reach {
  /** The service's own origin: fetched wherever it is. */
  readonly own?: string
  /** Hosts that the developer allowed, as `cdn.example.com` or `localhost:8080`; no port means the scheme's own. */
  readonly hosts?: readonly string[]
  /** Whether any public host will do as well: by https alone, or by http too. Default none. */
  readonly anyPublic?: 'https' | 'http'
}

/**
 * Why an address must not be fetched, or undefined when it may be, as far as the address itself tells: what a
 * name leads to is checked when it is looked up. Otherwise a stranger could have us read what only we can reach.
 */
export function refusalOf(url: URL, reach: Reach): string | undefined {
  const { own, hosts = [], anyPublic } = reach
  if (url.username || url.password) return `${url.host} is addressed with a user name or a password`
  if (url.origin === own) return undefined
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return `${url.protocol}//${url.host} is refused, ${ruleOf(reach)}`
  if (isListed(url, hosts)) return undefined
  if (!anyPublic || (anyPublic === 'https' && url.protocol !== 'https:'))
    return `${url.protocol}//${url.host} is refused, ${ruleOf(reach)}`
  return isPrivate(url) ? `${url.host} is no public host, ${ruleOf(reach)}` : undefined
}

/** Whether an address is reached wherever it is: the service's own, or a private one that the developer wrote down. */
export function isTrusted(url: URL, { own, hosts = [] }: Reach): boolean {
  return url.origin === own || (isListed(url, hosts) && isPrivate(url))
}

/** What may be fetched, in words. */
export function ruleOf({ own, hosts = [], anyPublic }: Reach): string {
  const all = [
    ...(anyPublic ? [anyPublic === 'https' ? 'public https addresses' : 'public addresses'] : []),
    ...(own ? [own] : []),
    ...hosts,
  ]
  return all.length === 0 ? 'no address is fetched here' : `only ${listed(all)} are fetched`
}

function listed(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' and ')
}

/** As addresses, so that capitals and a port that goes without saying make no difference. */
function isListed({ host, protocol }: URL, hosts: readonly string[]): boolean {
  return hosts.some(
    (one) => URL.canParse(`${protocol}//${one}`) && new URL(`${protocol}//${one}`).host === host,
  )
}

/** A name that only we can look up, or an address of ours in any spelling: `URL` has made one of them. */
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

// Loopback, private, link-local, shared, test, multicast and reserved networks, and all of IPv6 that is not
// global unicast; forms of IPv6 that carry an IPv4 address could carry a private one.
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
 * Whether an IP address belongs to the public internet. A host's name counts as public: it comes here only
 * where the runtime cannot look it up; a number does not, where the runtime cannot tell its network.
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

/** How names become addresses, and which of those will do. */
export interface NameRules {
  resolve(host: string): Promise<readonly { readonly address: string; readonly family: number }[]>
  isPublic(address: string): boolean
}

export const systemNames: NameRules = {
  resolve: (host) => process.getBuiltinModule('node:dns').promises.lookup(host, { all: true }),
  isPublic: isPublicAddress,
}

/** A name leads to where only we can reach. */
export class PrivateName extends Error {}

/**
 * A lookup for a socket that gives public addresses only, and fails for a name that has any other. The socket
 * connects to what was checked here: there is no second lookup that could say something else.
 */
export function checkedLookup({ resolve, isPublic }: NameRules): LookupFunction {
  return (host, { all }, found) => {
    resolve(host).then(
      (addresses) => {
        const [first] = addresses
        if (!first || !addresses.every(({ address }) => isPublic(address)))
          return found(new PrivateName(host), '', 0)
        if (all) found(null, [...addresses])
        else found(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => found(error, '', 0),
    )
  }
}
