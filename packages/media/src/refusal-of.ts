import { isPublicAddress } from './is-public-address.js'

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
