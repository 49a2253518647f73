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
