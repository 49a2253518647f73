// A release, up to what nobody can take back: the next version in a copy of what names it, the contents of each tarball,
// all tarballs in one project, `npm publish --dry-run` of each, and the templates. Run it after `pnpm build`.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkEntry, entriesOf, manifestIn } from './check-alone.mjs'
import { checkContents } from './check-contents.mjs'
import { checkTemplates } from './check-templates.mjs'
import { inTurn } from './in-turn.mjs'
import { packPackages } from './pack-packages.mjs'
import { publishPackages } from './publish-packages.mjs'
import { runIn } from './run-in.mjs'
import { changesetsIn, setVersion } from './set-version.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const work = mkdtempSync(join(tmpdir(), 'capstan-release-'))

try {
  await checkNextVersion()
  const packed = join(work, 'packed')
  mkdirSync(packed)
  const tarballs = await packPackages(packed)
  await inTurn(tarballs.values(), (tarball) => checkContents(tarball, work))
  console.log(`${tarballs.size} tarballs contain what they must, and nothing else`)
  await checkTogether(tarballs)
  await publishPackages(packed, { isDry: true })
  await checkTemplates(tarballs, work)
  console.log('release: all checks passed')
} finally {
  rmSync(work, { recursive: true, force: true, maxRetries: 5 })
}

/** What `set-version.mjs` would make of this tree. */
async function checkNextVersion() {
  if (!changesetsIn(root).length) return console.log('no file in .changeset asks for a release')
  const copy = join(work, 'versions')
  const manifests = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/package.json`)
  const others = ['.changeset', 'CHANGELOG.md', 'package.json', 'pnpm-workspace.yaml', 'pnpm-lock.yaml']
  for (const path of [...manifests, ...others, 'packages/core/src/model/chat-model.ts'])
    cpSync(join(root, path), join(copy, path), { recursive: true })
  const version = await setVersion(copy, '2000-01-01')
  for (const file of manifests) {
    const [before, after] = [root, copy].map((folder) => JSON.parse(readFileSync(join(folder, file), 'utf8')))
    const expected = before.private ? before : { ...before, version }
    if (JSON.stringify(after) !== JSON.stringify(expected))
      throw new Error(`${file} would be:\n${JSON.stringify(after)}`)
  }
  if (changesetsIn(copy).length) throw new Error('the files of .changeset would stay')
  for (const [file, line] of [
    ['CHANGELOG.md', `## ${version} (2000-01-01)`],
    ['packages/core/src/model/chat-model.ts', `export const version = '${version}'`],
  ])
    if (!readFileSync(join(copy, file), 'utf8').includes(`\n${line}\n`))
      throw new Error(`${file} would lack: ${line}`)
  console.log(`the next version is ${version}, in all packages`)
}

/** All packages with every optional peer, in one project: no two ask for what excludes each other, and each entry loads. */
async function checkTogether(tarballs) {
  const folder = join(work, 'together')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "name": "together", "private": true }')
  const manifests = [...tarballs.keys()].map((name) => readManifest(join(root, 'packages', folderOf(name))))
  const peers = Object.assign({}, ...manifests.map(({ peerDependencies }) => peerDependencies))
  const others = Object.entries(peers).filter(([name]) => !tarballs.has(name))
  const specs = [...tarballs.values(), ...others.map(([name, range]) => `${name}@${range}`)]
  await runIn(folder, 'npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...specs])
  await checkAudit(folder)
  const installed = [...tarballs.keys()].map((name) => manifestIn(folder, name))
  for (const manifest of installed)
    for (const entry of entriesOf(manifest))
      await checkEntry(entry, manifest, { folder, node: process.execPath })
  console.log(
    `all packages in one project, with ${others.map(([name]) => name).join(', ')}: each entry loads`,
  )
}

/** No advisory for anything that a user of all packages has. Not every registry answers. */
async function checkAudit(folder) {
  const { error, statusCode, vulnerabilities = {} } = JSON.parse(await auditReport(folder))
  if (error) return console.log(`npm audit: this registry does not answer (${statusCode})`)
  const found = Object.values(vulnerabilities).map(
    ({ name, severity, range }) => `${name} ${range}: ${severity}`,
  )
  if (found.length) throw new Error(`npm audit names:\n${found.join('\n')}`)
  console.log('npm audit: nothing is known against any dependency')
}

/** npm fails where it found something, and where it got no answer. */
async function auditReport(folder) {
  try {
    return await runIn(folder, 'npm', ['audit', '--json'])
  } catch (error) {
    return error.cause.stdout
  }
}

function folderOf(name) {
  return name.replace('@capstan/', '')
}

function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}
