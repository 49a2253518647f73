import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

// CommonJS builds only have `__filename`. Other builds only have `import.meta.url`.
const here = import.meta.url ?? pathToFileURL(__filename).href

/** Returns the version in this package's `package.json`. Empty if the file cannot be found. */
export function version(): string {
  for (const path of ['../package.json', '../../package.json']) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(path, here), 'utf8'))
      if (name === '@capstan/studio') return String(version)
    } catch {
      // `package.json` is one folder above the built code, and two folders above the sources.
    }
  }
  return ''
}
