import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { mostOf } from '../scripts/limits.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const map = readFileSync(`${root}AGENTS.md`, 'utf8')
const sections = new Map(map.split(/^## /m).map((section) => [section.split('\n', 1)[0] ?? '', section]))

test('the tree of core has one line for each source file, and a file for each line', () => {
  const files = readdirSync(`${root}packages/core/src`, { recursive: true, encoding: 'utf8' })
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  expect(linesOf('Core: packages/core/src').sort()).toEqual(sources.sort())
})

test('every package has one line', () => {
  expect(linesOf('Packages').sort()).toEqual(readdirSync(`${root}packages`).sort())
})

test('every file that the steps of a run name exists', () => {
  const known = linesOf('Core: packages/core/src')
  const named = [...(sections.get('A run') ?? '').matchAll(/`([\w/-]+\.ts)`/g)].map(([, file = '']) => file)
  expect(named.filter((file) => !known.some((one) => one === file || one.endsWith(`/${file}`)))).toEqual([])
})

test('the map and the rules stay within their limits', () => {
  expect(Buffer.byteLength(map)).toBeLessThanOrEqual(mostOf('bytes of AGENTS.md'))
  expect(readFileSync(`${root}CONTRIBUTING.md`).byteLength).toBeLessThanOrEqual(
    mostOf('bytes of CONTRIBUTING.md'),
  )
})

/** Names at the start of the list items of a section. */
function linesOf(heading: string): string[] {
  return [...(sections.get(heading) ?? '').matchAll(/^- `([^`]+)`: .+$/gm)].map(([, name = '']) => name)
}
