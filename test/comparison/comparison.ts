// Runs the cases of docs/reference/comparison.md with each framework, prints the tables, and tells which cells of the
// page differ: comparison.js [--only FRAMEWORK,...] [--cases ID,...] [--write]
// `npm run comparison` installs the frameworks first. `--write` writes the page and the results.
import { fork } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { cases } from './cases/all.js'
import { columns, differencesOf, type Package, type Results, tables, writeTables } from './page.js'
import { sizesOf } from './sizes.js'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '../..')
const pageFile = join(root, 'docs/reference/comparison.md')
const resultsFile = join(here, 'results.json')
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(columns).join(',') },
    cases: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
})
const peers = values.only.split(',')
const chosen = values.cases === '' ? [] : values.cases.split(',')
const unknown = peers.find((peer) => !columns[peer])
if (unknown) throw new Error(`No framework "${unknown}". There are: ${Object.keys(columns).join(', ')}.`)

const stored = JSON.parse(readFileSync(resultsFile, 'utf8')) as Results
const cells: Record<string, Record<string, string>> = {}
// Of those that are not played now.
for (const { id } of Object.values(tables).flat()) cells[id] = { ...stored.cells[id] }
const ran: Record<string, Record<string, string>> = {}
const waiting = [...peers]
// Two at a time: they wait more than they compute.
await Promise.all([next(), next()])

const results: Results = {
  date: new Date().toISOString().slice(0, 10),
  node: process.version,
  packages: { ...stored.packages, ...Object.fromEntries(peers.map((peer) => [peer, packagesOf(peer)])) },
  cells,
}
const page = readFileSync(pageFile, 'utf8')
const written = writeTables(page, results)
for (const [, table = ''] of written.matchAll(/<!-- table \w+ -->\n([\s\S]*?)<!-- \/table -->/g))
  process.stdout.write(`${table}\n`)
const differences = differencesOf(page, { ...results, cells: ran })
for (const { row, column, page: cell, run } of differences)
  process.stdout.write(
    `differs: ${row}, ${column}: the page has "${cell ?? 'no row'}", the run gave "${run}"\n`,
  )
const count = Object.values(ran).reduce((sum, row) => sum + Object.keys(row).length, 0)
process.stdout.write(`${count} cells, ${differences.length} differ from docs/reference/comparison.md\n`)
if (values.write) {
  writeFileSync(pageFile, written)
  writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`)
}
process.exit(differences.length > 0 && !values.write ? 1 : 0)

async function next(): Promise<void> {
  for (let peer = waiting.shift(); peer !== undefined; peer = waiting.shift()) {
    process.stderr.write(`${peer} ...\n`)
    const played = cases.filter(({ id }) => chosen.length === 0 || chosen.includes(id))
    let rest = played.filter(({ kind }) => kind !== 'alone').map(({ id }) => id)
    while (rest.length > 0) rest = await runPeer(peer, rest)
    for (const { id, kind } of played) if (kind === 'alone') await runPeer(peer, [id])
    const sizes: Readonly<Record<string, string>> = chosen.length === 0 ? await sizesOf(peer) : {}
    for (const [id, cell] of Object.entries(sizes)) note(peer, id, cell)
  }
}

function note(peer: string, id: string, cell: string): void {
  cells[id] = { ...cells[id], [peer]: cell }
  ran[id] = { ...ran[id], [peer]: cell }
}

/** Plays cases in a process. Returns those that are left when a case has ended it. */
function runPeer(peer: string, ids: readonly string[]): Promise<string[]> {
  const child = fork(join(here, 'run-peer.ts'), [peer, ids.join(',')], {
    cwd: root,
    execArgv: ['--conditions=development', '--import=tsx', '--max-old-space-size=1000'],
    env: {
      ...process.env,
      // Code modes start `node`.
      PATH: dirname(process.execPath) + delimiter + process.env.PATH,
      // For those that look for one; it is nobody's.
      OPENAI_API_KEY: 'sk-of-the-comparison',
    },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const left = [...ids]
  let playing: string | undefined
  const done = (id: string, cell: string) => {
    note(peer, id, cell)
    left.splice(left.indexOf(id), 1)
    playing = undefined
  }
  child.on('message', (message) => {
    const { starts, id = '', cell = '' } = message as { starts?: string; id?: string; cell?: string }
    if (starts === undefined) done(id, cell)
    else playing = starts
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => {
      if (code === 0) return resolve([])
      if (playing === undefined) return reject(new Error(`${peer} ended with ${code}.`))
      done(playing, '**ends the process**, out of memory')
      resolve(left)
    })
  })
}

/** The installed packages that the framework's file imports, without those of this repository's own tools. */
function packagesOf(peer: string): Package[] {
  const source = readFileSync(join(here, 'peers', `${peer}.ts`), 'utf8')
  const names = [...source.matchAll(/from '((?:@[\w-]+\/)?[\w-]+)[\w/-]*'/g)].map(([, name = '']) => name)
  return [...new Set(names)].sort().flatMap((name) => {
    const folder = [here, root, join(root, 'test')].find((one) => existsSync(join(one, 'node_modules', name)))
    if (!folder) return []
    const file = join(folder, 'node_modules', name, 'package.json')
    const { version, license, engines } = JSON.parse(readFileSync(file, 'utf8'))
    return [{ name, version, license, ...(engines?.node && { node: engines.node }) }]
  })
}
