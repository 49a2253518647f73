// Builds once a test run, from source: one file for each entry of the packages and of libraries, and each program that
// tests start, as JavaScript. Programs then start in a third of the CPU time that source takes (load-bundles.mjs).
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { exampleGroups } from './examples.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
// Vite brings esbuild along.
const vite = createRequire(join(root, 'package.json')).resolve('vite/package.json')
const { build } = createRequire(vite)('esbuild')

/** Builds everything. Returns the URL of the built file for the URL of each source file, by kind. */
export async function bundlePackages() {
  const names = readdirSync(join(root, 'packages')).filter((name) => name !== 'bench')
  const [modules, programs] = await Promise.all([
    Promise.all([...names.map(bundlePackage), bundleLibraries()]),
    Promise.all(Object.entries(folders).map(translatePrograms)),
  ])
  return { modules: Object.fromEntries(modules.flat()), programs: Object.fromEntries(programs.flat()) }
}

const settings = {
  format: 'esm',
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
}

async function bundlePackage(name) {
  const folder = join(root, 'packages', name)
  const entries = entriesOf(name, folder)
  const outdir = outputFolder(folder)
  await build({
    ...settings,
    absWorkingDir: folder,
    entryPoints: entries,
    outdir,
    outbase: '.',
    bundle: true,
    splitting: true,
    packages: 'external',
    conditions: ['development'],
    plugins: [ownPlaces],
  })
  return entries.map((entry) => [
    pathToFileURL(join(folder, entry)).href,
    pathToFileURL(join(outdir, entry.replace('.ts', '.js'))).href,
  ])
}

/** What packages and their tests load in a thread or a process of their own. */
const started = {
  media: ['src/inputs/stored-bytes.ts'],
  service: ['src/work/worker.ts', 'test/trouble-worker.ts'],
  speech: ['src/models/model-thread.ts'],
}

function entriesOf(name, folder) {
  const { exports = {}, bin = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const exported = Object.values(exports).map((entry) => entry.development ?? entry)
  const commands = Object.values(bin).map((file) => file.replace('dist/', 'src/').replace('.js', '.ts'))
  const entries = [...exported, ...commands, ...(started[name] ?? [])]
  return entries.map((entry) => entry.replace('./', '')).filter((entry) => entry.endsWith('.ts'))
}

/** Packages of many files that nearly every program loads, as core resolves them. */
const libraries = [
  ...['zod', 'zod/v4', 'zod/v4/core', 'zod/v3', 'zod-to-json-schema'],
  ...['@cfworker/json-schema', 'eventemitter3', 'p-queue'],
]

async function bundleLibraries() {
  const folder = join(root, 'packages/core')
  const { metafile } = await build({
    ...settings,
    absWorkingDir: folder,
    entryPoints: Object.fromEntries(libraries.map((name) => [name, name])),
    outdir: join(outputFolder(root), 'libraries'),
    bundle: true,
    splitting: true,
    metafile: true,
    conditions: ['development'],
  })
  return Object.entries(metafile.outputs).flatMap(([output, { entryPoint }]) =>
    entryPoint ? [[entryPoint, output].map((file) => pathToFileURL(join(folder, file)).href)] : [],
  )
}

/** Folders of programs that tests start, below a folder for what is built. */
const folders = { examples: ['.', ...exampleGroups], 'packages/cli': ['test/agents'] }

/** Translates files one by one: they import each other, and packages, as they do in source. */
async function translatePrograms([name, below]) {
  const folder = join(root, name)
  const outdir = join(outputFolder(folder), 'programs')
  const files = below.flatMap((part) =>
    readdirSync(join(folder, part), { recursive: part !== '.', encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => join(part, file)),
  )
  await build({
    ...settings,
    absWorkingDir: folder,
    entryPoints: files,
    outdir,
    outbase: '.',
    sourcemap: 'inline',
  })
  return files.map((file) => [
    pathToFileURL(join(folder, file)).href,
    pathToFileURL(join(outdir, file.replace('.ts', '.js'))).href,
  ])
}

/** Returns a new folder for modules from which the packages of a folder can be imported. */
function outputFolder(folder) {
  const output = join(folder, 'node_modules/.capstan')
  mkdirSync(output, { recursive: true })
  writeFileSync(join(output, 'package.json'), '{ "type": "module" }\n')
  return output
}

/** A bundled module finds the files beside it where its source is. */
const ownPlaces = {
  name: 'own-places',
  setup(build) {
    build.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      if (!text.includes('import.meta.url')) return undefined
      const contents = text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
      return { contents, loader: 'ts' }
    })
  },
}
