import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { neededText, rowsOf } from '../scripts/check-sizes.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const home = 'https://github.com/capstan-dev/capstan'

const packages = readdirSync(join(root, 'packages'))
  .map((folder) => ({ folder, manifest: read(`packages/${folder}/package.json`) }))
  .filter(({ manifest }) => !JSON.parse(manifest).private)

describe.each(packages)('packages/$folder', ({ folder, manifest }) => {
  test('its manifest says where it is from', () => {
    expect(JSON.parse(manifest)).toMatchObject({
      homepage: `${home}/tree/main/packages/${folder}#readme`,
      bugs: `${home}/issues`,
      // What npm compares with the build when it is published with provenance.
      repository: { type: 'git', url: `git+${home}.git`, directory: `packages/${folder}` },
      keywords: expect.arrayContaining(['capstan']),
    })
  })

  test('links of its README work outside the repository, and lead somewhere', () => {
    const links = linksOf(read(`packages/${folder}/README.md`))
    expect(links.length).toBeGreaterThan(0)
    expect(links.filter((to) => !/^https?:\/\/|^#/.test(to))).toEqual([])
    expect(links.filter((to) => to.startsWith(home) && !leadsSomewhere(to))).toEqual([])
  })
})

test('it is said where a vulnerability is reported', () => {
  expect(linksOf(read('SECURITY.md'))).toContain(`${home}/security/advisories/new`)
})

test('the table of sizes has each package, with what it asks for', () => {
  const rows = rowsOf(read('docs/reference/sizes.md')).map((cells) => [cells[0], cells.at(-1)])
  const expected = packages
    .map(({ manifest }) => JSON.parse(manifest))
    .map((manifest) => [manifest.name, neededText(manifest)])
  expect(rows).toEqual(expected.sort())
})

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

function linksOf(text: string): string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, to = '']) => to)
}

/** Whether a link into the repository names a file of it, and a heading where it names one. */
function leadsSomewhere(to: string): boolean {
  const [path = '', heading] = to.slice(`${home}/blob/main/`.length).split('#')
  if (!to.startsWith(`${home}/blob/main/`) || !existsSync(join(root, path))) return false
  const headings = [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => slugOf(text))
  return heading === undefined || headings.includes(heading)
}

/** A heading as it stands in an address. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-')
}
