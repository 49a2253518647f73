import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { pages, synced } from '../scripts/sync-documents.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

test.each([
  '```\nrun-start\n```',
  '```ts\nconst a = 1\n```',
  '``` text\nrun-start\n```',
  '- so:\n\n  ```text\n  run-start\n  ```',
  '~~~\nrun-start\n~~~',
  '<!-- LICENSE -->\n```\nMIT\n```',
])('the block %j is refused', (block) => {
  expect(() => synced(`Before.\n\n${block}\n`)).toThrow('This block has no file')
})

test('a comment without its block is refused', () => {
  expect(() => synced('Before.\n\n<!-- examples/4-media/voices.ts#options -->\n\nAfter.\n')).toThrow(
    'No block follows the comment examples/4-media/voices.ts#options',
  )
})

test('a block becomes what its file or region says, and commands stand alone', () => {
  const page = '<!-- examples/4-media/voices.ts#options -->\n```ts\nold\n```\n\n```sh\nnpm start\n```\n'
  expect(synced(page)).toContain('```ts\nconst signal = AbortSignal.timeout(10_000)\n')
  expect(synced(page)).toContain('```sh\nnpm start\n```\n')
  expect(synced('<!-- examples/4-media/voices.ts -->\n```ts\nold\n```\n')).not.toContain('#region')
  expect(synced(synced(page))).toBe(synced(page))
})

test('the home page of the site has the reasons of the README', () => {
  const reasonsOf = (page: string) =>
    /^## Why Capstan\?\n[\s\S]*?\n(?=## )/m.exec(readFileSync(join(root, page), 'utf8'))?.[0]
  const reasons = reasonsOf('README.md')?.replaceAll('](docs/', '](../')
  expect(reasons).toBeDefined()
  expect(reasonsOf('docs/site/index.md')).toBe(reasons)
})

/** Pages that are read from the top: a reader should not have to skip. Text without code; of the README, all of it. */
const mostWords = { guide: 1000, readme: 900 }
/** It lists all that the planner understands: a page for looking up. */
const lists = ['docs/local-service/planner.md']

test('no guide has more words than a reader reads', () => {
  const guides = pages.filter((page) =>
    /^docs\/(?:guides|deploy|tools|local-service)\/|^docs\/(?:getting-started|studio)\.md$/.test(page),
  )
  const words = guides
    .filter((page) => !lists.includes(page))
    .map((page) => [page, wordsIn(withoutBlocks(readFileSync(join(root, page), 'utf8')))] as const)
  expect(words.length).toBeGreaterThan(40)
  expect(words.filter(([, count]) => count > mostWords.guide)).toEqual([])
  expect(wordsIn(readFileSync(join(root, 'README.md'), 'utf8'))).toBeLessThanOrEqual(mostWords.readme)
})

describe.each(pages)('%s', (page) => {
  const text = readFileSync(join(root, page), 'utf8')

  test('every fenced block but a command is a file of the repository, to the letter', () => {
    expect(synced(text)).toBe(text)
  })

  test('no line is the mark of a merge', () => {
    expect(text.match(/^(?:<{7}|={7}|>{7})(?: .*)?$/gm) ?? []).toEqual([])
  })

  test('every link inside the repository leads to a file, and to a heading of it', () => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
    expect(links.filter(([, to = '', anchor]) => !leads(join(page, '..', to), to, anchor, page))).toEqual([])
  })

  test('every link to the repository at GitHub leads to a file of this tree', () => {
    const links = [
      ...text.matchAll(/github\.com\/capstan-dev\/capstan\/(?:blob|tree)\/main\/([^)#\s]+)(?:#([\w-]+))?/g),
    ]
    expect(links.filter(([, to = '', anchor]) => !leads(to, to, anchor, page))).toEqual([])
  })
})

function wordsIn(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length
}

function withoutBlocks(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/^<!--.*-->$/gm, '')
}

/** Whether a file exists and, for a page, has the heading. A link without a file is one within the page. */
function leads(path: string, to: string, anchor: string | undefined, page: string): boolean {
  const file = join(root, to === '' ? page : path)
  if (!existsSync(file)) return false
  return anchor === undefined || !file.endsWith('.md') || anchorsOf(file).includes(anchor)
}

/** Anchors of a page's headings, as GitHub makes them. */
function anchorsOf(file: string): string[] {
  const headings = withoutBlocks(readFileSync(file, 'utf8')).matchAll(/^#+ (.+)$/gm)
  return [...headings].map(([, heading = '']) =>
    heading
      .replaceAll(/\]\([^)]*\)/g, '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
}
