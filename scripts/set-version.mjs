// Gives all public packages the version that the files of `.changeset` ask for, in each place that names it:
//   node scripts/set-version.mjs
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runIn } from './run-in.mjs'

// The last line of changesets that runs on Node 20. Its hundred packages are of use once a release: not installed here.
const CHANGESETS = '@changesets/cli@2.31.0'
const changelog = 'CHANGELOG.md'
const constant = 'packages/core/src/model/chat-model.ts'
const inPeers = /"peerDependencies": \{[^}]*\}/
const anyVersion = 'workspace:>=0.0.0'

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)))
  console.log(`All packages have the version ${await setVersion(root, today())}.`)
}

/** Resolves to the new version of the tree in a folder. @throws when no file asks for one */
export async function setVersion(root, date) {
  if (!changesetsIn(root).length) throw new Error('No file in .changeset asks for a release. Write one.')
  await bumpManifests(root)
  const { version } = JSON.parse(readFileSync(join(root, 'packages/core/package.json'), 'utf8'))
  rewrite(join(root, constant), (text) => text.replace(/^(export const version = )'.*'$/m, `$1'${version}'`))
  rewrite(join(root, changelog), (text) => titleRelease(text, version, date))
  return version
}

/** The files that ask for a release. */
export function changesetsIn(root) {
  return readdirSync(join(root, '.changeset')).filter((name) => name.endsWith('.md') && name !== 'README.md')
}

/** The changelog whose unreleased changes are those of a version. */
export function titleRelease(text, version, date) {
  if (!text.includes('\n## Unreleased\n')) throw new Error('CHANGELOG.md has no section Unreleased')
  if (text.includes('\n## Unreleased\n\nNothing yet.\n'))
    throw new Error('Nothing is unreleased in CHANGELOG.md')
  return text.replace('\n## Unreleased\n', `\n## Unreleased\n\nNothing yet.\n\n## ${version} (${date})\n`)
}

/**
 * By changesets. It would make each minor version below 1.0 a major one, because packages are peers of each other and
 * `^0.1.0` does not contain 0.2.0: while it computes, peers are of any version.
 */
async function bumpManifests(root) {
  const files = manifestsIn(root)
  const loosen = (text) => text.replace(inPeers, (peers) => peers.replaceAll('workspace:^', anyVersion))
  for (const file of files) rewrite(file, loosen)
  try {
    await runIn(root, 'npx', ['-y', CHANGESETS, 'version'])
  } finally {
    const tighten = (text) =>
      text.replace(inPeers, (peers) => peers.replaceAll(/workspace:>=[^"]+/g, 'workspace:^'))
    for (const file of files) rewrite(file, tighten)
  }
}

function manifestsIn(root) {
  const folders = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name))
  return folders.map((folder) => join(folder, 'package.json')).filter((file) => existsSync(file))
}

function rewrite(file, change) {
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}

function today() {
  return new Date().toISOString().slice(0, 10)
}
