import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

// The map in CONTRIBUTING.md is the floor plan: a file may import only files that stand above it there.
const root = fileURLToPath(new URL('..', import.meta.url))
const map = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
const packages = [...map.matchAll(/^### packages\/(\w+)\n([\s\S]*?)(?=^##)/gm)].map(
  ([, name = '', section = '']) => ({
    name,
    rooms: [...section.matchAll(/^- `([^`]+)`: \S/gm)].map(([, file = '']) => file),
  }),
)

/** Siblings that a package may load at run time; everybody may know core. */
const mayKnow: Record<string, readonly string[]> = { cli: ['service'], service: ['speech'] }

test('every package has its section in the map', () => {
  const folders = readdirSync(join(root, 'packages'))
  expect(packages.map(({ name }) => name).sort()).toEqual(folders.sort())
})

describe.each(packages)('packages/$name', ({ name, rooms }) => {
  const source = join(root, 'packages', name, 'src')
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(isSource)
  const importsOf = (file: string) =>
    [...readFileSync(join(source, file), 'utf8').matchAll(/(?:from|import\()\s*'([^']+)'/g)].map(
      ([, to = '']) => to,
    )

  test('every file has one line in the map, and every line a file', () => {
    expect(rooms.toSorted()).toEqual(files.toSorted())
  })

  test('imports only go down', () => {
    const upward = files.flatMap((file) =>
      importsOf(file)
        .filter((to) => to.startsWith('.'))
        .map((to) => normalize(join(dirname(file), to)).replace(/\.js$/, '.ts'))
        .filter((to) => rooms.indexOf(to) === -1 || rooms.indexOf(to) >= rooms.indexOf(file))
        .map((to) => `${file} imports ${to}`),
    )
    expect(upward).toEqual([])
  })

  test('it knows no package that it should not', () => {
    const known = files.flatMap(importsOf).filter((to) => to.startsWith('@capstan/'))
    const allowed = name === 'core' ? [] : ['core', ...(mayKnow[name] ?? [])]
    expect(known.filter((to) => !allowed.includes(to.split('/')[1] ?? ''))).toEqual([])
  })
})

test('the loop is a page', () => {
  const lines = readFileSync(join(root, 'packages/core/src/run/loop.ts'), 'utf8').split('\n')
  expect(lines.length).toBeLessThan(100)
})

function isSource(file: string): boolean {
  return file.endsWith('.ts') && !file.endsWith('.test.ts')
}
