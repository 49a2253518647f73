// The engines that durable runs work on, for tests and trials: binaries from npm, installed on demand, outside the
// workspace. What is started lives in a temporary folder, on free ports of the loopback, and is gone when it is stopped.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.mjs'

const modules = fileURLToPath(new URL('../packages/durable/engines/node_modules', import.meta.url))
const platform = `${process.platform}-${process.arch}`

/** This Node where it is new enough for the workers of Restate, else the one of the engines; undefined where neither is. */
export function node24() {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath
  const path = join(modules, `node-${platform}`, 'bin/node')
  return existsSync(path) ? path : undefined
}

/** The server, and how to end it; undefined, with the reason printed, where none can be had. */
export async function startRestate() {
  const program = join(modules, `@restatedev/restate-server-${platform}`, 'bin/restate-server')
  if (!existsSync(program)) {
    console.warn('SKIPPED: there is no Restate here. Install it: `npm run engines`.')
    return undefined
  }
  const folder = mkdtempSync(join(tmpdir(), 'capstan-restate-'))
  const [ingress, admin, node] = await Promise.all([freePort(), freePort(), freePort()])
  const site = { program, folder, ingress, admin, node }
  let server = await start(site)
  // Also when this process ends by an error.
  const tidy = () => {
    server.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', tidy)
  const kill = () => {
    const ended = new Promise((resolve) => server.once('exit', resolve))
    if (!server.kill('SIGKILL')) return undefined
    return ended
  }
  return {
    ingress: `http://127.0.0.1:${ingress}`,
    admin: `http://127.0.0.1:${admin}`,
    /** As after a crash of the server. */
    async restart() {
      await kill()
      server = await start(site)
    },
    async stop() {
      await kill()
      process.off('exit', tidy)
      tidy()
    },
  }
}

async function start({ program, folder, ingress, admin, node }) {
  const log = []
  const args = ['--no-logo', '--node-name', 'n1', '--base-dir', folder, '--listen-mode', 'tcp']
  const server = spawn(
    program,
    [...args, '--bind-ip', '127.0.0.1', '--bind-port', String(node), '--log-filter', 'error'],
    {
      env: {
        ...process.env,
        RESTATE_DISABLE_TELEMETRY: 'true',
        RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: '512MiB',
        RESTATE_INGRESS__BIND_PORT: String(ingress),
        RESTATE_ADMIN__BIND_PORT: String(admin),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  for (const stream of [server.stdout, server.stderr])
    stream.on('data', (data) => {
      log.push(String(data))
      log.splice(0, log.length - 50)
    })
  for (const url of [`http://127.0.0.1:${admin}/health`, `http://127.0.0.1:${ingress}/restate/health`])
    while (!(await isUp(url))) {
      if (server.exitCode !== null) throw new Error(`Restate did not start: ${log.join('')}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  return server
}

function isUp(url) {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
}
