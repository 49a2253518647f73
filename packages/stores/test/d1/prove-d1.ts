// Runs the checks of the stores in workerd, on the D1 of Cloudflare's own emulator, which it installs into a temporary
// folder: node --conditions=development --import=tsx <this file>
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

/** The last version that runs on Node 20. It has 111 MB and no install scripts. */
const emulator = 'miniflare@3.20250718.3'

/** The methods of Miniflare that are used here. */
interface Emulator {
  /** The Worker's URL on the loopback interface. */
  readonly ready: Promise<URL>
  dispose(): Promise<void>
}

/** More than the number of checks. */
const databases = Array.from({ length: 200 }, (_, at) => `DB${at}`)

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'capstan-d1-'))
  try {
    await writeFile(join(folder, 'package.json'), '{ "private": true }')
    const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', '--loglevel=error']
    execFileSync('npm', ['install', ...flags, emulator], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const { Miniflare } = createRequire(join(folder, 'package.json'))('miniflare') as {
      Miniflare: new (options: object) => Emulator
    }
    const worker = new Miniflare({
      modules: [{ type: 'ESModule', path: 'worker.mjs', contents: await bundle(folder) }],
      compatibilityDate: '2025-07-18',
      d1Databases: databases,
    })
    try {
      await check(worker)
    } finally {
      await worker.dispose()
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Returns the Worker as one module, for workerd without Node's modules. */
async function bundle(outDir: string): Promise<string> {
  const conditions = ['development', 'workerd']
  await build({
    configFile: false,
    logLevel: 'silent',
    resolve: { conditions },
    ssr: { target: 'webworker', noExternal: true, resolve: { conditions } },
    build: {
      ssr: fileURLToPath(new URL('worker.ts', import.meta.url)),
      outDir,
      emptyOutDir: false,
      rollupOptions: { output: { entryFileNames: 'worker.mjs' } },
    },
  })
  return readFile(join(outDir, 'worker.mjs'), 'utf8')
}

async function check(worker: Emulator): Promise<void> {
  const origin = await worker.ready
  // A separate connection for each request, because workerd closes idle ones.
  const get = async (path: string): Promise<unknown> =>
    json(
      await new Promise<IncomingMessage>((resolve, reject) => {
        request(new URL(path, origin), { agent: false }, resolve).on('error', reject).end()
      }),
    )
  const names = (await get('')) as readonly string[]
  assert.ok(names.length > 40 && names.length <= databases.length)
  const failed: string[] = []
  for (const [at, name] of names.entries()) {
    const { failure } = (await get(`${at}`)) as { readonly failure: string | null }
    if (failure !== null) failed.push(`${name}: ${failure}`)
  }
  assert.deepEqual(failed, [])
  console.log(`D1 in workerd: ${names.length} checks of runs and sessions hold.`)
}

await main()
