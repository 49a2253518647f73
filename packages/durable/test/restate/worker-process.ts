import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Stage } from './facts.js'

/** A worker process that can be killed and restarted. */
export class WorkerProcess {
  readonly port: number
  readonly #stage: Stage
  readonly #folder = mkdtempSync(join(tmpdir(), 'capstan-worker-'))
  #process: ReturnType<typeof spawn> | undefined

  private constructor(stage: Stage, port: number) {
    this.#stage = stage
    this.port = port
  }

  static async start(stage: Stage): Promise<WorkerProcess> {
    const worker = new WorkerProcess(stage, await freePort())
    await worker.start()
    return worker
  }

  /** Lines written by its tools, over all restarts. */
  get lines(): readonly string[] {
    return existsSync(this.#file) ? readFileSync(this.#file, 'utf8').trim().split('\n') : []
  }

  async start(): Promise<void> {
    const { ingress, admin } = this.#stage
    const script = fileURLToPath(new URL('worker.ts', import.meta.url))
    const args = [
      '--conditions=development',
      '--import=tsx',
      script,
      ingress,
      admin,
      String(this.port),
      this.#file,
    ]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    this.#process = child
    // The worker must not survive a fact that timed out.
    const kill = () => child.kill('SIGKILL')
    process.once('exit', kill)
    child.once('exit', () => process.off('exit', kill))
    await once(createInterface(child.stdout), 'line')
  }

  get isUp(): boolean {
    return this.#process?.exitCode === null && this.#process.signalCode === null
  }

  async kill(): Promise<void> {
    if (!this.isUp || !this.#process) return
    const ended = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await ended
  }

  async end(): Promise<void> {
    await this.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  get #file(): string {
    return join(this.#folder, 'lines')
  }
}

/** Returns a free port. A restarted worker keeps its port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { readonly port: number }
  server.close()
  await once(server, 'close')
  return port
}
