import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { context, type PluginBuild } from 'esbuild'
import { afterAll, expect, test } from 'vitest'
import { some } from '../../../../scripts/cases.mjs'
import type * as Lean from '../../src/lean.js'
import { featureSuites } from './feature-suites.js'
import { loopSuite } from './loop-suite.js'

const source = fileURLToPath(new URL('../../src/', import.meta.url))
const list = readFileSync(`${source}features.ts`, 'utf8')

/** Every feature: a file or a folder of `features/`. */
const features = [
  ...new Set([...list.matchAll(/from '\.\/features\/([\w-]+)/g)].map(([, name = '']) => name)),
].sort()

/** Returns the list of features without one: without its imports and exports, and its entries. */
function listWithout(feature: string): string {
  const own = new Set<string>()
  const isOwn = (path: string) => path.split(/[/.]+/)[2] === feature
  const rest = list.replace(statement, (whole, names: string, path: string) => {
    if (!isOwn(path)) return whole
    for (const name of names.match(/\w+/g) ?? []) own.add(name)
    return ''
  })
  return rest.replace(/= \[([\w\s,]+)\]/g, (_, names: string) => {
    const left = (names.match(/\w+/g) ?? []).filter((name) => !own.has(name))
    return `= [${left.join(', ')}]`
  })
}

/** An import or an export of a file: its names, and the path. */
const statement = /^(?:import|export)((?:(?! from ')[\s\S])*) from '([^']+)'\n/gm

/** Both entries. What is parsed for one feature is parsed for all. */
const entries = await context({
  stdin: {
    contents: "export * as main from './index.js'\nexport * as lean from './lean.js'",
    resolveDir: source,
    loader: 'ts',
  },
  bundle: true,
  format: 'esm',
  platform: 'node',
  write: false,
  plugins: [{ name: 'without-feature', setup: leaveOut }],
  logLevel: 'silent',
})
// Vitest leaves what it finds in `node_modules` as it is.
const folder = join(mkdtempSync(join(tmpdir(), 'capstan-removed-')), 'node_modules')
mkdirSync(folder)
afterAll(async () => {
  await entries.dispose()
  rmSync(dirname(folder), { recursive: true })
})

let removed = ''

/** Fails a build that still imports a file of the feature. Packages are those of this process. */
function leaveOut({ onLoad, onResolve }: PluginBuild): void {
  onLoad({ filter: /src.features\.ts$/ }, () => ({ contents: listWithout(removed), loader: 'ts' }))
  onLoad({ filter: /src.features./ }, ({ path }) => {
    const own = path.split(/[\\/]src[\\/]features[\\/]/)[1]?.split(/[\\/.]/)[0]
    return own === removed ? { errors: [{ text: `${path} is part of the removed feature` }] } : undefined
  })
  onResolve({ filter: /^zod/ }, ({ path }) => ({ path: import.meta.resolve(path), external: true }))
}

/** Bundles both entries without a feature. */
async function build(feature: string): Promise<Uint8Array> {
  removed = feature
  const { outputFiles } = await entries.rebuild()
  return outputFiles[0]?.contents ?? new Uint8Array()
}

/** Bundles both entries without a feature, and loads them. */
async function load(feature: string): Promise<Record<'main' | 'lean', typeof Lean>> {
  const file = join(folder, `${feature}.mjs`)
  writeFileSync(file, await build(feature))
  return import(pathToFileURL(file).href)
}

test('every feature has a check', () => {
  expect(Object.keys(featureSuites).sort()).toEqual(features)
})

test.each(features)('without %s both entries are built', async (feature) => {
  expect((await build(feature)).length).toBeGreaterThan(100_000)
})

test.each(some(features, 5))('without %s all others work, and the loop', async (feature) => {
  const { main, lean } = await load(feature)
  for (const check of Object.values(loopSuite)) await check(main)
  for (const check of Object.values(loopSuite)) await check(lean)
  for (const [name, check] of Object.entries(featureSuites)) if (name !== feature) await check(lean)
})
