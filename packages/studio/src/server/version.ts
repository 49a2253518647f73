import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

// CommonJS builds have `__filename` only, the others `import.meta.url` only.
const here = import.meta.url ?? pathToFileURL(__filename).href

/** Returns the version of this package. */
export function version(): string {
  for (const path of ['../package.json', '../../package.json']) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(path, here), 'utf8'))
      if (name === '@capstan/studio') return String(version)
    } catch {
      // The built package has it one folder up, the sources two.
    }
  }
  return ''
}
