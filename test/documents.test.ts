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

test('a block becomes what its file or region says, and commands stand alone', () => {
  const page = '<!-- examples/4-media/voices.ts#options -->\n```ts\nold\n```\n\n```sh\nnpm start\n```\n'
  expect(synced(page)).toContain('```ts\nconst signal = AbortSignal.timeout(10_000)\n')
  expect(synced(page)).toContain('```sh\nnpm start\n```\n')
  expect(synced(synced(page))).toBe(synced(page))
})

describe.each(pages)('%s', (page) => {
  const text = readFileSync(join(root, page), 'utf8')

  test('every fenced block but a command is a file of the repository, to the letter', () => {
    expect(synced(text)).toBe(text)
  })

  test('every link inside the repository leads somewhere', () => {
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, to = '']) => to)
    expect(links.filter((to) => !existsSync(join(root, page, '..', to)))).toEqual([])
  })
})
