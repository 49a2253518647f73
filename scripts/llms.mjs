// The documentation as plain text for language models: `llms.txt` lists the pages, `llms-full.txt` has them all. The
// site serves both, and the package of core carries them with its version.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const docs = fileURLToPath(new URL('../docs', import.meta.url))
const core = JSON.parse(readFileSync(join(docs, '../packages/core/package.json'), 'utf8'))

/** The address of the site, which `help` of errors begins with as well. */
export const siteAddress = 'https://capstan-dev.github.io/capstan/'

/** Both files by name. */
export function llmsFiles() {
  const list = read('README.md')
  const pages = [...list.matchAll(/\]\(([\w/-]+\.md)\)/g)].map(([, page]) => page)
  const [, ...sections] = list.split(/^(?=## )/m)
  const title = `# Capstan ${core.version}\n\n> ${core.description}\n`
  const withAddresses = sections.join('').replaceAll(/\]\(([\w/-]+)\.md\)/g, `](${siteAddress}$1)`)
  const full = [...new Set(pages)].map((page) => read(page).trim())
  return {
    'llms.txt': `${title}\n- [Getting started](${siteAddress}getting-started)\n\n${withAddresses}`,
    'llms-full.txt': `${title}\n${full.join('\n\n---\n\n')}\n`,
  }
}

/** A page without the comments that name the files of its blocks. */
function read(page) {
  return readFileSync(join(docs, page), 'utf8').replaceAll(/^<!-- .* -->\n/gm, '')
}
