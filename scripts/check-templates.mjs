// Every template of `create-capstan` as a user meets it: the packages are packed, the command of the tarball writes the
// project, its dependencies are installed from the tarballs, then it is tested, type-checked and started. Run it after
// `pnpm build`. `node scripts/check-templates.mjs tools mcp` checks some of them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.mjs'
import { packPackages, useTarballs } from './pack-packages.mjs'
import { runIn } from './run-in.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** What `npm start` prints of each, for one. */
const started = {
  tools: /cancel_order ok .*cancelled/,
  media: /image\/png[\s\S]*audio\/wav/,
  server: /authorization: Bearer the-key[\s\S]*light snow/,
  durable: /waits for an approval: cancel_booking/,
  mcp: /find_book ok .*A3/,
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const work = mkdtempSync(join(tmpdir(), 'capstan-templates-'))
  try {
    await checkTemplates(await packPackages(work), work, process.argv.slice(2))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Those that are named, or all; with packed packages by name, in a folder for the projects. */
export async function checkTemplates(packed, work, wanted = []) {
  const tarballs = Object.fromEntries(packed)
  const creator = join(work, 'creator')
  mkdirSync(creator)
  await run('npm', ['init', '-y'], creator)
  await run('npm', ['install', '--no-audit', '--no-fund', tarballs['create-capstan']], creator)
  const all = readdirSync(join(root, 'packages/create-capstan/templates'))
  for (const template of wanted.length ? wanted : all)
    await checkTemplate(template, join(work, `project-${template}`), { creator, tarballs })
  console.log('templates: all checks passed')
}

async function checkTemplate(template, folder, { creator, tarballs }) {
  const since = Date.now()
  await run(
    'node',
    [join(creator, 'node_modules/.bin/create-capstan'), folder, '--template', template],
    dirname(folder),
  )
  useTarballs(join(folder, 'package.json'), tarballs)
  await run('npm', ['install', '--no-audit', '--no-fund'], folder)
  await run('npm', ['test'], folder)
  await run('npm', ['run', 'typecheck'], folder)
  const output = template === 'server' ? await askServer(folder) : await run('npm', ['start'], folder)
  if (!started[template].test(output)) throw new Error(`npm start of ${template} printed:\n${output}`)
  if (template === 'durable') await checkApproval(folder, output)
  console.log(
    `${template}: created, installed, tested, started in ${Math.round((Date.now() - since) / 1000)} s`,
  )
}

/** The run of `npm start` goes on in another process. */
async function checkApproval(folder, output) {
  const [, runId] = /npm run approve (\S+)/.exec(output)
  const approved = await run('npm', ['run', 'approve', runId], folder)
  if (!/cancelled true/.test(approved)) throw new Error(`npm run approve printed:\n${approved}`)
}

/** The server serves until it is ended. Resolves to what it printed and to its reply to a client. */
async function askServer(folder) {
  const port = await freePort()
  const env = { ...process.env, OPENAI_API_KEY: '', PORT: String(port), AGENT_KEY: 'the-key' }
  const server = spawn(process.execPath, ['--import=tsx', 'src/server.ts'], { cwd: folder, env })
  try {
    const [printed] = await once(server.stdout, 'data')
    const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer the-key', 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'forecaster',
        messages: [{ role: 'user', content: 'What is the weather in Oslo?' }],
      }),
    })
    return `${printed}${await response.text()}`
  } finally {
    server.kill()
  }
}

/** Resolves to what a command prints. */
function run(command, args, cwd) {
  return runIn(cwd, command, args)
}
