import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isFresh } from '../scripts/is-fresh.mjs'

test('a page is built again after a change of its sources only', () => {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-fresh-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const at = (path: string, seconds: number) => utimesSync(join(folder, path), seconds, seconds)
  mkdirSync(join(folder, 'src/part'), { recursive: true })
  for (const file of ['built.html', 'src/a.ts', 'src/part/b.ts']) writeFileSync(join(folder, file), '')
  for (const path of ['src/a.ts', 'src/part/b.ts', 'src/part', 'src']) at(path, 100)
  at('built.html', 200)
  const built = join(folder, 'built.html')
  const sources = [join(folder, 'src')]
  expect(isFresh(built, sources)).toBe(true)
  expect(isFresh(join(folder, 'none.html'), sources)).toBe(false)
  expect(isFresh(built, [...sources, join(folder, 'gone.ts')])).toBe(false)
  at('src/part/b.ts', 300)
  expect(isFresh(built, sources)).toBe(false)
  at('src/part/b.ts', 100)
  // A file that was removed changes its folder.
  at('src/part', 300)
  expect(isFresh(built, sources)).toBe(false)
})
