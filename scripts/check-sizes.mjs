// What each package weighs: its code as a bundle, and all that npm installs for it. Compares the table of the page, or
// writes it: node scripts/check-sizes.mjs [--write], after `pnpm build`.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { installAlone, manifestIn, requiredBy } from './check-alone.mjs'
import { inTurn } from './in-turn.mjs'
import { packPackages } from './pack-packages.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const page = join(root, 'docs/reference/sizes.md')
/** Dependencies publish new versions: more than this share is a change to look at. */
const tolerance = 0.1

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const work = mkdtempSync(join(tmpdir(), 'capstan-sizes-'))
  try {
    const tarballs = await packPackages(work)
    const rows = await inTurn([...tarballs.keys()].sort(), (name) => measure(name, tarballs, work))
    if (process.argv[2] === '--write') writeFileSync(page, withRows(readFileSync(page, 'utf8'), rows))
    else compare(rowsOf(readFileSync(page, 'utf8')), rows)
    console.log(`sizes: ${rows.map(([name, , installed]) => `${name} ${installed} MB`).join(', ')}`)
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Name, kB of its bundle, MB and packages of its installation, and what it asks for. */
async function measure(name, tarballs, work) {
  const folder = await installAlone(name, tarballs, work)
  const manifest = manifestIn(folder, name)
  const parts = bytesByPackage(join(folder, 'node_modules'))
  const bytes = parts.reduce((sum, [, bytes]) => sum + bytes, 0)
  const bundled = await bundleBytes(join(folder, 'node_modules', name), manifest)
  return [
    name,
    (bundled / 1000).toFixed(1),
    (bytes / 1e6).toFixed(1),
    String(parts.length),
    neededText(manifest),
  ]
}

/** The code of the package by itself, all entries where none is its main one, minified, in bytes of gzip. */
async function bundleBytes(folder, { exports, bin }) {
  const { build } = createRequire(join(root, 'packages/core/package.json'))('esbuild')
  const main = exports['.']?.import.default ?? Object.values(bin ?? {})[0]
  const entries = main ? [main] : Object.values(exports).flatMap((one) => one.import?.default ?? [])
  const { outputFiles } = await build({
    entryPoints: entries.map((entry) => join(folder, entry)),
    outdir: 'out',
    splitting: !main,
    bundle: true,
    packages: 'external',
    minify: true,
    format: 'esm',
    platform: 'node',
    write: false,
    logLevel: 'error',
  })
  return outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0)
}

/** What a package cannot do without. */
export function neededText(manifest) {
  return (
    requiredBy(manifest)
      .sort()
      .map((name) => `\`${name}\``)
      .join(', ') || 'none'
  )
}

export function bytesByPackage(modules) {
  const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'))
  const names = Object.keys(packages).map((path) => path.slice('node_modules/'.length))
  const parts = names.map((name) => [name, bytesIn(join(modules, name))])
  return parts.sort(([, one], [, other]) => other - one)
}

function bytesIn(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  return files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0)
}

/** The cells of the table of a page. */
export function rowsOf(text) {
  const lines = text.split('\n').filter((line) => line.startsWith('| `'))
  return lines
    .map((line) => line.slice(2, -2).split(' | '))
    .map(([name, ...cells]) => [name.replaceAll('`', ''), ...cells])
}

function withRows(text, rows) {
  const lines = rows.map(([name, ...cells]) => `| \`${name}\` | ${cells.join(' | ')} |\n`)
  return text.replace(/(\| ---.*\n)(?:\| `.*\n)*/, `$1${lines.join('')}`)
}

function compare(stated, measured) {
  const isNear = (one, other) => Math.abs(one - other) <= Math.max(1, tolerance * other)
  const wrong = measured.flatMap((row) => {
    const said = stated.find(([name]) => name === row[0]) ?? []
    const isRight = [1, 2, 3].every((at) => isNear(Number(said[at]), Number(row[at]))) && said[4] === row[4]
    return isRight ? [] : [`${row.join(' | ')}\n  and the page says: ${said.join(' | ') || 'nothing'}`]
  })
  if (wrong.length)
    throw new Error(`docs/reference/sizes.md is not true any more. Run it with --write.\n${wrong.join('\n')}`)
}
