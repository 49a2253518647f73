import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { pages, synced } from '../scripts/sync-documents.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

describe.each(pages)('%s', (page) => {
  const text = readFileSync(join(root, page), 'utf8')

  test('every block of code or output is a file that runs, to the letter', () => {
    expect(synced(text)).toBe(text)
  })

  test('every link inside the repository leads somewhere', () => {
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, to = '']) => to)
    expect(links.filter((to) => !existsSync(join(root, page, '..', to)))).toEqual([])
  })
})
