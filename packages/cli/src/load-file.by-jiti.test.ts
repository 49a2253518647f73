import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { byJiti, loadFailure } from './load-file.js'

/** Files in a folder of their own; the first one's path. */
function written(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-load-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return join(folder, Object.keys(files)[0] ?? '')
}

async function load(file: string) {
  return byJiti(pathToFileURL(file).href).catch((error) => {
    throw loadFailure('a.ts', file, error)
  })
}

test('TypeScript is loaded as compilers read it: enums, fields as parameters, names of what will be .js, await', async () => {
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

test('loading leaves nothing beside the file', async () => {
  const file = written({ 'a.ts': 'export const a: number = 1' })
  await load(file)
  expect(readdirSync(join(file, '..'))).toEqual(['a.ts'])
})

test('aliases of a tsconfig lead where it says', async () => {
  const file = written({
    'a.ts': `export { b } from '@own/b'`,
    'b.ts': `export const b: string = 'there'`,
    'tsconfig.json': '{ "compilerOptions": { "paths": { "@own/*": ["./*"] } } }',
  })
  expect(await load(file)).toMatchObject({ b: 'there' })
})

test.each([
  ['const a: = 1', /a\.ts cannot be loaded: ParseError: Unexpected token .+a\.ts:1:9$/],
  [
    `import { a } from 'no-such-package'\nexport const b = a`,
    /a\.ts cannot be loaded: Cannot find module 'no-such-package' \(at .+a\.ts:\d\)$/,
  ],
  [
    '\n\nconst a = undefined as unknown as { b: { c: 1 } }\nexport const d = a.b.c',
    /cannot be loaded: .+ 'b'\) \(at .+a\.ts:4\)$/,
  ],
])('of %j the reason and the place are told', async (text, told) => {
  await expect(load(written({ 'a.ts': text }))).rejects.toThrow(told)
})
