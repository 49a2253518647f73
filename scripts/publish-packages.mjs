// Publishes the tarballs in a folder that are not in the registry yet, those that others need first:
//   node scripts/pack-packages.mjs FOLDER && node scripts/publish-packages.mjs FOLDER [--dry-run]
// With provenance, which npm makes in a workflow only; a dry run goes without.
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { requiredBy } from './check-alone.mjs'
import { manifestOf } from './pack-packages.mjs'
import { runIn } from './run-in.mjs'

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder, ...flags] = process.argv.slice(2)
  if (!folder || flags.some((flag) => flag !== '--dry-run')) {
    console.error('Usage: node scripts/publish-packages.mjs FOLDER [--dry-run]')
    process.exit(2)
  }
  await publishPackages(resolve(folder), { isDry: flags.length > 0 })
}

/** @throws the first failure; what is published by then is skipped the next time */
export async function publishPackages(folder, { isDry }) {
  const tarballs = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  if (!tarballs.length) throw new Error(`${folder} contains no tarball. Pack the packages first.`)
  const manifests = new Map()
  for (const name of tarballs) manifests.set(name, await manifestOf(join(folder, name)))
  for (const [name, manifest] of inOrder(manifests)) await publish(join(folder, name), manifest, isDry)
}

/** What a package needs comes before it. */
function inOrder(manifests) {
  const ordered = new Map()
  while (ordered.size < manifests.size) {
    const named = new Set([...manifests].filter(([file]) => !ordered.has(file)).map(([, { name }]) => name))
    const next = [...manifests].filter(
      ([file, one]) => !ordered.has(file) && !requiredBy(one).some((name) => named.has(name)),
    )
    if (!next.length) throw new Error(`These packages need each other: ${[...named].join(', ')}`)
    for (const [file, one] of next) ordered.set(file, one)
  }
  return ordered
}

async function publish(tarball, { name, version }, isDry) {
  if (!isDry && (await isPublished(name, version)))
    return console.log(`${name} ${version} is published already`)
  const how = isDry ? ['--dry-run', '--provenance=false'] : ['--provenance']
  console.log((await runIn('.', 'npm', ['publish', tarball, '--access', 'public', ...how])).trim())
}

async function isPublished(name, version) {
  try {
    return (await runIn('.', 'npm', ['view', `${name}@${version}`, 'version'])).trim() === version
  } catch (error) {
    if (/E404/.test(error.message)) return false
    throw error
  }
}
