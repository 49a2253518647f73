import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { importWithJiti, loadError } from './load-file.js'

/** Writes files into a new folder. Returns the path of the first one. */
function written(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-load-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return join(folder, Object.keys(files)[0] ?? '')
}

async function load(file: string) {
  return importWithJiti(pathToFileURL(file).href).catch((error) => {
    throw loadError('a.ts', file, error)
  })
}

test('loads TypeScript as compilers do: enums, parameter properties, imports with .js, top-level await', async () => {
  const file = written({
    'a.ts': `
      import type { Told } from './b.js'
      import { told } from './b.js'
      enum Colour { Red = 'red' }
      class Box { constructor(readonly colour: Colour) {} }
      export const box = new Box(await Promise.resolve(Colour.Red))
      export default told satisfies Told
      export const here = import.meta.url`,
    'b.ts': `export type Told = string; export const told: Told = 'told'`,
  })
  const loaded = await load(file)
  expect(loaded).toMatchObject({ default: 'told', box: { colour: 'red' } })
  expect(String(loaded.here)).toMatch(/^file:.+a\.ts$/)
})

test('leaves no files behind', async () => {
  const file = written({ 'a.ts': 'export const a: number = 1' })
  await load(file)
  expect(readdirSync(join(file, '..'))).toEqual(['a.ts'])
})

test('resolves path aliases of a tsconfig', async () => {
  const file = written({
    'a.ts': `export { b } from '@own/b'`,
    'b.ts': `export const b: string = 'there'`,
    'tsconfig.json': '{ "compilerOptions": { "paths": { "@own/*": ["./*"] } } }',
  })
  expect(await load(file)).toMatchObject({ b: 'there' })
})

test.each([
  ['const a: = 1', /^Cannot load .*a\.ts: ParseError: Unexpected token .+a\.ts:1:9$/],
  [
    `import { a } from 'no-such-package'\nexport const b = a`,
    /^Cannot load .*a\.ts: Cannot find module 'no-such-package' \(at .+a\.ts:\d\)$/,
  ],
  [
    '\n\nconst a = undefined as unknown as { b: { c: 1 } }\nexport const d = a.b.c',
    /^Cannot load .*a\.ts: .+ 'b'\) \(at .+a\.ts:4\)$/,
  ],
])('reports the reason and the location for %j', async (text, told) => {
  await expect(load(written({ 'a.ts': text }))).rejects.toThrow(told)
})
