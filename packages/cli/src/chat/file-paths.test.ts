import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { droppedFiles, namedFiles } from './file-paths.js'

let folder: string
let plain: string
let spaced: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'capstan-paths-'))
  plain = join(folder, 'a.png')
  spaced = join(folder, "it's b.png")
  writeFileSync(plain, '')
  writeFileSync(spaced, '')
  mkdirSync(join(folder, 'c.png'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const paths = (files: readonly { readonly path: string }[]) => files.map(({ path }) => path)

test('finds dropped files in the notations of terminals', () => {
  const quoted = `'${spaced.replace("'", `'\\''`)}'`
  const escaped = spaced.replace(/[' ]/g, '\\$&')
  for (const text of [quoted, escaped, `"${spaced}"`, pathToFileURL(spaced).href, ` ${escaped}\n`])
    expect(paths(droppedFiles(text)), text).toEqual([spaced])
  expect(paths(droppedFiles(`${plain} ${quoted}`))).toEqual([plain, spaced])
})

test.each([
  ['text', () => 'see the picture'],
  ['a path inside of a text', () => `see ${plain}`],
  ['a relative path', () => relative(process.cwd(), plain)],
  ['a folder', () => folder],
  ['a folder that ends like a file', () => join(folder, 'c.png')],
  ['a missing file', () => join(folder, 'none.png')],
  ['a device', () => '/dev/zero'],
  ['an address of another machine', () => 'file://elsewhere/etc/passwd'],
  ['a web address', () => 'https://example.com/a.png'],
  ['nothing', () => ''],
])('finds no dropped file in %s', (_, text) => {
  expect(droppedFiles(text())).toEqual([])
})

test('reads named paths: relative ones, of the home folder, with spaces', () => {
  expect(paths(namedFiles(relative(process.cwd(), plain)))).toEqual([relative(process.cwd(), plain)])
  expect(paths(namedFiles(spaced))).toEqual([spaced])
  expect(paths(namedFiles(`${plain} "${spaced}"`))).toEqual([plain, spaced])
  expect(() => namedFiles('~/capstan-none')).toThrow(join(homedir(), 'capstan-none'))
})

test.each([
  ['', 'No path.'],
  ['none.png', 'No such file: none.png.'],
  ['/dev/zero', 'No such file: /dev/zero.'],
  ['a\u202eb', 'No such file: a\\u202eb.'],
])('reports the path %j', (text, message) => {
  expect(() => namedFiles(text)).toThrow(message)
})

test('names files without hidden characters', () => {
  const hidden = join(folder, 'a\u202egnp.exe')
  writeFileSync(hidden, '')
  expect(namedFiles(hidden)).toEqual([{ path: hidden, name: 'a\\u202egnp.exe' }])
})
