// The documentation as plain text for language models: `llms.txt` lists the pages, `llms-full.txt` has them all. The
// site serves both. The package of core carries them too, with fewer pages, for the version that is installed.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const docs = fileURLToPath(new URL('../docs', import.meta.url))
const core = JSON.parse(readFileSync(join(docs, '../packages/core/package.json'), 'utf8'))

/** The address of the site, which `help` of errors begins with as well. */
export const siteAddress = 'https://capstan-dev.github.io/capstan/'

/** The files of the site by name: the list of the pages, and all of their text. */
export function llmsFiles() {
  return { 'llms.txt': listOfPages(), 'llms-full.txt': textOf(pagesOf(read('README.md'))) }
}

/**
 * The files of the package of core by name. Its text has the pages that a program is written with, not those on
 * comparing its runs later; further ones would outweigh the code.
 */
export function llmsFilesOfPackage() {
  const isUsed = (page) =>
    /^guides\/(?!from-|evals|recordings)|^errors\/|^reference\/(options|runs|tools|limits|events|errors)\.md$/.test(
      page,
    ) || page === 'getting-started.md'
  const note = `Further pages: ${siteAddress}llms.txt\n\n`
  return {
    'llms.txt': listOfPages(),
    'llms-full.txt': textOf(pagesOf(read('README.md')).filter(isUsed), note),
  }
}

const repository = 'https://github.com/capstan-dev/capstan/blob/main/'
const title = `# Capstan ${core.version}\n\n> ${core.description}\n\n`

function listOfPages() {
  const [, ...groups] = read('README.md').split(/^(?=## )/m)
  const list = groups
    .join('')
    .replaceAll(/\]\(([\w/-]+)\.md\)/g, `](${siteAddress}$1)`)
    .replaceAll('](../packages/', `](${repository}packages/`)
  return `${title}- [Getting started](${siteAddress}getting-started)\n\n${list}`
}

function pagesOf(list) {
  return [...new Set([...list.matchAll(/\]\(([\w/-]+\.md)\)/g)].map(([, page]) => page))]
}

function textOf(pages, note = '') {
  return `${title}${note}${pages.map((page) => read(page).trim()).join('\n\n---\n\n')}\n`
}

/** A page without the comments that name the files of its blocks, and without a last line that only links to the list of errors. */
function read(page) {
  const text = readFileSync(join(docs, page), 'utf8').replaceAll(/^<!-- .* -->\n/gm, '')
  return text.replace(/\n\[All error codes\].*\n$/, '')
}
