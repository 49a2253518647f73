// Packs every public package into a folder, after `pnpm build`: node scripts/pack-packages.mjs FOLDER
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runIn } from './run-in.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = resolve(process.argv[2] ?? 'tarballs')
  mkdirSync(folder, { recursive: true })
  console.log([...(await packPackages(folder)).values()].join('\n'))
}

/** Packs every public package into a folder. Resolves to the tarballs by the name of the package. */
export async function packPackages(destination) {
  const folders = readdirSync(join(root, 'packages')).filter(isPublic)
  for (const folder of folders)
    for (const file of ['README.md', 'LICENSE']) readFileSync(join(root, 'packages', folder, file))
  const chosen = folders.flatMap((folder) => ['--filter', `./packages/${folder}`])
  const args = ['-y', 'pnpm@10.34.9', '-r', ...chosen, 'pack', '--json', '--pack-destination', destination]
  const out = await runIn(root, 'npx', args)
  const packed = JSON.parse(out.slice(out.indexOf('[')))
  if (packed.length !== folders.length) throw new Error(`pnpm packed ${packed.length} of ${folders.length}`)
  return new Map(packed.map(({ name, filename }) => [name, filename]))
}

/** Resolves to the `package.json` in a tarball. */
export async function manifestOf(tarball) {
  return JSON.parse(await runIn(root, 'tar', ['-xzOf', tarball, 'package/package.json']))
}

function isPublic(name) {
  return !JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')).private
}

/** The packages of this tree in place of those of the registry, for the project and for each other. */
export function useTarballs(file, tarballs) {
  const manifest = JSON.parse(readFileSync(file, 'utf8'))
  for (const group of [manifest.dependencies, manifest.devDependencies ?? {}])
    for (const name of Object.keys(group)) if (tarballs[name]) group[name] = `file:${tarballs[name]}`
  const direct = { ...manifest.dependencies, ...manifest.devDependencies }
  manifest.overrides = Object.fromEntries(
    Object.entries(tarballs).map(([name, file]) => [name, direct[name] ? `$${name}` : `file:${file}`]),
  )
  writeFileSync(file, JSON.stringify(manifest, null, 2))
}
