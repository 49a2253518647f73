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
  expect(synced(synced(page))).toBe(synced(page))
})

test('the home page of the site has the figures of the README', () => {
  const figuresOf = (page: string) =>
    /^## Three figures\n[\s\S]*?\n(?=## )/m.exec(readFileSync(join(root, page), 'utf8'))?.[0]
  const figures = figuresOf('README.md')?.replaceAll('](docs/', '](../')
  expect(figures).toBeDefined()
  expect(figuresOf('docs/site/index.md')).toBe(figures)
})

describe.each(pages)('%s', (page) => {
  const text = readFileSync(join(root, page), 'utf8')

  test('every fenced block but a command is a file of the repository, to the letter', () => {
    expect(synced(text)).toBe(text)
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

/** Whether a file exists and, for a page, has the heading. A link without a file is one within the page. */
function leads(path: string, to: string, anchor: string | undefined, page: string): boolean {
  const file = join(root, to === '' ? page : path)
  if (!existsSync(file)) return false
  return anchor === undefined || !file.endsWith('.md') || anchorsOf(file).includes(anchor)
}

/** Anchors of a page's headings, as GitHub makes them. */
function anchorsOf(file: string): string[] {
  const headings = readFileSync(file, 'utf8')
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .matchAll(/^#+ (.+)$/gm)
  return [...headings].map(([, heading = '']) =>
    heading
      .replaceAll(/\]\([^)]*\)/g, '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
}
