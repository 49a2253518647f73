import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

interface Started {
  readonly origin: string
  stop(): Promise<void>
}

/** How each serves the program in a folder. */
export const runtimes: Readonly<Record<string, (folder: string) => Promise<Started>>> = {
  Bun: (cwd) =>
    start(cwd, (port) => ['node_modules/@oven/bun-linux-x64/bin/bun', `--port=${port}`, 'bun.js']),
  Deno: (cwd) =>
    start(cwd, (port) => [
      'node_modules/@deno/linux-x64-glibc/deno',
      'serve',
      '--allow-net',
      '--allow-env',
      '--host=127.0.0.1',
      `--port=${port}`,
      'served.js',
    ]),
  workerd: (cwd) =>
    start(cwd, (port) => [
      'node_modules/@cloudflare/workerd-linux-64/bin/workerd',
      'serve',
      'worker.capnp',
      `--socket-addr=http=127.0.0.1:${port}`,
    ]),
  // Without npx between: the process that is ended is the server.
  Next: (cwd) =>
    start(cwd, (port) => [
      process.execPath,
      'node_modules/next/dist/bin/next',
      'start',
      '--hostname=127.0.0.1',
      `--port=${port}`,
    ]),
}

async function start(cwd: string, commandFor: (port: number) => readonly string[]): Promise<Started> {
  const port = await freePort()
  const [command = '', ...args] = commandFor(port)
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] })
  const said: Buffer[] = []
  child.stderr.on('data', (piece) => said.push(piece))
  const stop = async () => {
    if (child.exitCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const origin = `http://127.0.0.1:${port}`
  for (let tries = 0; tries < 300 && child.exitCode === null; tries += 1) {
    const isThere = await fetch(origin).then(
      () => true,
      () => false,
    )
    if (isThere) return { origin, stop }
    await pause(50)
  }
  await stop()
  throw new Error(`${command} did not come up:\n${Buffer.concat(said)}`)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
