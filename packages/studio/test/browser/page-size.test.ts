import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { partOf } from './setup.js'

// Limits on the size of the page that is built for the package.
const mostOfFirstView = 80_000
const mostRequests = 4
const mostOfAll = 150_000

interface Chunk {
  readonly file: string
  readonly isEntry?: boolean
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
}

let folder: string
let manifest: Record<string, Chunk> = {}
beforeAll(async () => {
  folder = await partOf('page')
  manifest = JSON.parse(await readFile(join(folder, '.vite/manifest.json'), 'utf8'))
})

const sizeOf = async (file: string) => gzipSync(await readFile(join(folder, file)), { level: 9 }).length
async function sizesOf(files: Iterable<string>): Promise<number> {
  let sum = 0
  for (const file of files) sum += await sizeOf(file)
  return sum
}

test(`the first view has at most ${mostOfFirstView} bytes in at most ${mostRequests} requests`, async () => {
  const files = new Set(['index.html', 'icon.svg'])
  const visit = (chunk: Chunk | undefined) => {
    if (!chunk || files.has(chunk.file)) return
    files.add(chunk.file)
    for (const css of chunk.css ?? []) files.add(css)
    for (const name of chunk.imports ?? []) visit(manifest[name])
  }
  for (const chunk of Object.values(manifest)) if (chunk.isEntry) visit(chunk)
  expect(files.size).toBeLessThanOrEqual(mostRequests)
  expect(await sizesOf(files)).toBeLessThanOrEqual(mostOfFirstView)
})

test(`all chunks have at most ${mostOfAll} bytes`, async () => {
  const files = new Set(Object.values(manifest).flatMap(({ file, css }) => [file, ...(css ?? [])]))
  expect(await sizesOf(files)).toBeLessThanOrEqual(mostOfAll)
})

test('the licences of bundled packages are beside the page', async () => {
  const notice = await readFile(join(folder, 'THIRD-PARTY.md'), 'utf8')
  for (const name of ['preact', '@preact/signals', 'marked', 'dompurify'])
    expect(notice).toContain(`## ${name} `)
})
