// The packages of this repository as one file for each of their entries, made from source once a test run. Programs
// that tests start load them in a fifth of the time that the single files take (load-bundles.mjs).
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
// Vite brings esbuild along.
const vite = createRequire(join(root, 'package.json')).resolve('vite/package.json')
const { build } = createRequire(vite)('esbuild')

/** Bundles every package. Returns the URL of the bundle for the URL of each entry. */
export async function bundlePackages() {
  const names = readdirSync(join(root, 'packages')).filter((name) => name !== 'bench')
  return Object.fromEntries((await Promise.all(names.map(bundle))).flat())
}

async function bundle(name) {
  const folder = join(root, 'packages', name)
  const entries = entriesOf(name, folder)
  const outdir = join(folder, 'node_modules/.capstan')
  await build({
    absWorkingDir: folder,
    entryPoints: entries,
    outdir,
    outbase: 'src',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    conditions: ['development'],
    logLevel: 'warning',
    plugins: [ownPlaces],
  })
  return entries.map((entry) => [
    pathToFileURL(join(folder, entry)).href,
    pathToFileURL(join(outdir, entry.replace('src/', '').replace('.ts', '.js'))).href,
  ])
}

/** What packages start as a thread or a process of their own. */
const started = { service: ['src/work/worker.ts'], speech: ['src/whisper/whisper-child.ts'] }

function entriesOf(name, folder) {
  const { exports = {}, bin = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const exported = Object.values(exports).map((entry) => entry.development ?? entry)
  const commands = Object.values(bin).map((file) => file.replace('dist/', 'src/').replace('.js', '.ts'))
  const entries = [...exported, ...commands, ...(started[name] ?? [])]
  return entries.map((entry) => entry.replace('./', '')).filter((entry) => entry.endsWith('.ts'))
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
