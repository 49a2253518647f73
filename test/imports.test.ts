import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { mostOf } from '../scripts/limits.mjs'

const packages = fileURLToPath(new URL('../packages', import.meta.url))

/** Siblings that a package may load at run time. Every package may load core. */
const mayLoad: Record<string, readonly string[]> = {
  cli: ['formats', 'mcp', 'service', 'studio', 'testing'],
  durable: ['testing'],
  http: ['protocols', 'stores'],
  media: ['formats', 'guarded-fetch'],
  painter: ['formats'],
  mcp: ['schema'],
  service: ['painter', 'protocols', 'schema', 'speech'],
  speech: ['formats'],
  studio: ['http', 'protocols', 'schema', 'service', 'testing'],
  testing: ['schema'],
  tools: ['guarded-fetch', 'schema'],
}

describe.each(readdirSync(packages))('packages/%s', (name) => {
  const source = join(packages, name, 'src')
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(isSource)
  const importsOf = new Map(files.map((file) => [file, readImports(source, file)]))

  test('no file imports itself through others', () => {
    expect(
      findCycle(files, (file) => (importsOf.get(file) ?? []).flatMap((to) => toFile(source, file, to))),
    ).toEqual([])
  })

  test('loads no package that it should not', () => {
    const loaded = [...importsOf.values()].flat().filter((to) => to.startsWith('@capstan/'))
    const allowed = name === 'core' ? [] : ['core', ...(mayLoad[name] ?? [])]
    expect(loaded.filter((to) => !allowed.includes(to.split('/')[1] ?? ''))).toEqual([])
  })
})

// How far a reader of core may have to go: from its entry down to the last file.
test('the files of core, and its longest chain of imports, stay within their limits', () => {
  const source = join(packages, 'core/src')
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(isSource)
  expect(files.length).toBeLessThanOrEqual(mostOf('source files of core'))
  const depths = new Map<string, number>()
  const depthOf = (file: string): number => {
    const known = depths.get(file)
    if (known !== undefined) return known
    const below = readImports(source, file).flatMap((to) => toFile(source, file, to))
    const depth = 1 + Math.max(0, ...below.map(depthOf))
    depths.set(file, depth)
    return depth
  }
  expect(Math.max(...files.map(depthOf))).toBeLessThanOrEqual(mostOf('chain of imports in core'))
})

const entries = /^(features|index|lean|node|openai|responses|messages|ai-sdk|zod3|internal)\.ts$/

/** Protocols behind entries: their models bring their features along. */
const withFeatures = /^model\/(responses|messages)\//

/** The layers of core, lowest first: a file imports its own layer and those below it. */
const layers = [
  /^(types\/(?!agent).*|artifacts\/artifact|errors|usage|limits|json|bytes|async|option-names)\.ts$/,
  /^secrets\//,
  /^artifacts\//,
  /^(tools|model\/(?!responses|messages)|run|sessions)\/|^model\/[\w-]+\.ts$|^types\/agent\.ts$/,
  /^(agent|agent-core|agent-options)\.ts$/,
  /^features\//,
  withFeatures,
  entries,
]

test('imports of core only go down', () => {
  const source = join(packages, 'core/src')
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(isSource)
  const layerOf = (file: string) => layers.findIndex((layer) => layer.test(file))
  expect(files.filter((file) => layerOf(file) === -1)).toEqual([])
  const found = files.flatMap((file) =>
    readImports(source, file)
      .flatMap((to) => toFile(source, file, to))
      .filter((to) => layerOf(to) > layerOf(file))
      .map((to) => `${file} imports ${to}`),
  )
  expect([...new Set(found)].sort()).toEqual([])
})

test('the kernel imports no feature', () => {
  const { files, below } = core()
  const kernel = files.filter(
    (file) => !file.startsWith('features/') && !entries.test(file) && !withFeatures.test(file),
  )
  const found = kernel.flatMap((file) =>
    below(file).flatMap((to) => (to.startsWith('features/') ? `${file} imports ${to}` : [])),
  )
  expect(found).toEqual([])
})

// What a feature uses any user could import: types of the seam, and helpers that know neither a run nor an agent.
test('a feature imports no other, and nothing that reaches a run in progress or an agent', () => {
  const { files, below } = core()
  const reached = (file: string, seen = new Set<string>()): ReadonlySet<string> => {
    if (!seen.has(file)) {
      seen.add(file)
      for (const to of below(file)) reached(to, seen)
    }
    return seen
  }
  const featureOf = (file: string) => /^features\/([\w-]+)/.exec(file)?.[1]
  const isWrong = (file: string, to: string) =>
    featureOf(to) === undefined
      ? ['run/run-context.ts', 'agent.ts', 'agent-core.ts'].some((one) => reached(to).has(one))
      : featureOf(to) !== featureOf(file)
  const found = files
    .filter((file) => featureOf(file) !== undefined)
    .flatMap((file) => below(file).flatMap((to) => (isWrong(file, to) ? `${file} imports ${to}` : [])))
  expect(found).toEqual([])
})

test('the loop is a page', () => {
  const lines = readFileSync(join(packages, 'core/src/run/loop.ts'), 'utf8').split('\n')
  expect(lines.length).toBeLessThan(100)
})

/** The source files of core, and the imports of each. */
function core() {
  const source = join(packages, 'core/src')
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(isSource)
  const imports = new Map(
    files.map((file) => [file, readImports(source, file).flatMap((to) => toFile(source, file, to))]),
  )
  return { files, below: (file: string) => imports.get(file) ?? [] }
}

function isSource(file: string): boolean {
  return file.endsWith('.ts') && !file.endsWith('.test.ts')
}

/** The specifiers of a file's imports. Imports of types count: a cycle of types is one for the reader. */
function readImports(source: string, file: string): string[] {
  const text = readFileSync(join(source, file), 'utf8')
  return [...text.matchAll(/(?:from|import\()\s*'([^']+)'/g)].map(([, to = '']) => to)
}

function toFile(source: string, from: string, to: string): string[] {
  if (!to.startsWith('.')) return []
  const file = normalize(join(dirname(from), to)).replace(/\.js$/, '.ts')
  return existsSync(join(source, file)) ? [file] : []
}

/** The first cycle found, as the files along it; empty where there is none. */
function findCycle(files: readonly string[], next: (file: string) => readonly string[]): string[] {
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return []
    for (const to of next(file)) {
      const cycle = visit(to, [...path, file])
      if (cycle.length > 0) return cycle
    }
    done.add(file)
    return []
  }
  for (const file of files) {
    const cycle = visit(file, [])
    if (cycle.length > 0) return cycle
  }
  return []
}
