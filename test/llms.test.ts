import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { mostOf } from '../scripts/limits.mjs'
import { llmsFiles, llmsFilesOfPackage, siteAddress } from '../scripts/llms.mjs'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const { version, files } = JSON.parse(read('packages/core/package.json'))
const pages = [...read('docs/README.md').matchAll(/\]\(([\w/-]+)\.md\)/g)].map(([, page = '']) => page)
const titleOf = (page: string) => read(`docs/${page}.md`).split('\n', 1)[0] ?? ''

test('the site lists each page with its address, and has the text of each', () => {
  const { 'llms.txt': list, 'llms-full.txt': full } = llmsFiles()
  expect(pages).toContain('errors/auth')
  for (const page of pages) {
    expect(list).toContain(`](${siteAddress}${page})`)
    expect(full).toContain(`\n${titleOf(page)}\n`)
  }
  expect(list).not.toMatch(/\]\((?!https:)/)
})

test('the package of core has both, for its version, with the pages that a program is written with', () => {
  const { 'llms.txt': list, 'llms-full.txt': full } = llmsFilesOfPackage()
  expect(files).toEqual(expect.arrayContaining(['llms.txt', 'llms-full.txt']))
  for (const text of [list, full]) expect(text.startsWith(`# Capstan ${version}\n`)).toBe(true)
  expect(list).toBe(llmsFiles()['llms.txt'])
  for (const page of ['getting-started', 'guides/tools', 'reference/options', 'errors/auth'])
    expect(full).toContain(`\n${titleOf(page)}\n`)
  for (const page of ['guides/from-langchain', 'reference/performance', 'local-service/planner'])
    expect(full).not.toContain(`\n${titleOf(page)}\n`)
  // They are a part of what an installation takes: scripts/check-packages.mjs.
  expect(Buffer.byteLength(list + full)).toBeLessThanOrEqual(mostOf('bytes of text for models in core'))
})
