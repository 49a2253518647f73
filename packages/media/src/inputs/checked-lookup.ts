import type { LookupFunction } from 'node:net'
import { isPublicAddress } from '../is-public-address.js'

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
