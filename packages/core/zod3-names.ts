import type { Plugin } from 'esbuild'
import { ZodFirstPartyTypeKind } from 'zod/v3'

const names = Object.entries(ZodFirstPartyTypeKind).map(
  ([name, value]) => `${name} = ${JSON.stringify(value)}`,
)

/**
 * zod-to-json-schema asks zod 3 for a list of names and nothing else: the list in its place leaves zod 3 out of a
 * bundle. As an enum, of which bundles keep the values that are used.
 */
export const zod3Names: Plugin = {
  name: 'zod3-names',
  setup(build) {
    build.onResolve({ filter: /^zod\/v3$/ }, () => ({ path: 'zod/v3', namespace: 'zod3-names' }))
    build.onLoad({ filter: /^/, namespace: 'zod3-names' }, () => ({
      contents: `export enum ZodFirstPartyTypeKind { ${names.join(', ')} }`,
      loader: 'ts',
    }))
  },
}
