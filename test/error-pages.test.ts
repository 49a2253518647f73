import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { CapstanError, type ErrorCode } from '@capstan/core'
import { describe, expect, test } from 'vitest'
import { siteAddress } from '../scripts/llms.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(root + path, 'utf8')

/** The codes, as their type lists them. */
const [, union = ''] =
  /export type ErrorCode =\n([\s\S]*?)\n\n/.exec(read('packages/core/src/errors.ts')) ?? []
const codes = [...union.matchAll(/'(\w+)'/g)].map(([, code]) => code as ErrorCode)

test('each code has a page, and each page is of a code', () => {
  const pages = readdirSync(`${root}docs/errors`).map((file) => file.replace(/\.md$/, ''))
  expect(codes).toContain('auth')
  expect(pages.sort()).toEqual([...codes].sort())
})

describe.each(codes)('%s', (code) => {
  const page = read(`docs/errors/${code}.md`)

  test('an error leads to its page on the site', () => {
    expect(new CapstanError(code, 'It failed.').help).toBe(`${siteAddress}errors/${code}`)
  })

  test('the page has causes, each with what to do', () => {
    expect(page.startsWith(`# ${code}\n\n`)).toBe(true)
    const [, table = ''] = /^\| Cause \| What to do \|\n\| --- \| --- \|\n((?:\|.*\|\n)+)/m.exec(page) ?? []
    const rows = table.trim().split('\n')
    expect(rows.length).toBeGreaterThan(1)
    for (const row of rows) expect(row).toMatch(/^\| \S.{5,} \| \S.{10,} \|$/)
  })

  test('its example is a part of the program that prints all errors', () => {
    expect(page).toContain(`<!-- examples/3-control/errors.ts#${code} -->\n\`\`\`ts\n`)
    expect(page).toContain(`<!-- examples/expected/errors.txt#${code} -->\n\`\`\`text\n${code}: `)
  })

  test('the list of codes links to the page', () => {
    expect(read('docs/reference/errors.md')).toContain(`| [\`${code}\`](../errors/${code}.md) |`)
  })
})
