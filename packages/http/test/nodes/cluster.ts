import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startModelServer } from './model-server.js'

/** Three processes that serve one agent over one store, and its model. */
export class Cluster {
  readonly nodes: readonly Node[]
  readonly #folder: string
  readonly #end: () => Promise<void>

  private constructor(nodes: readonly Node[], folder: string, end: () => Promise<void>) {
    this.nodes = nodes
    this.#folder = folder
    this.#end = end
  }

  /** The store is a folder, or with an address the database there. */
  static async start(postgres?: string): Promise<Cluster> {
    const folder = await mkdtemp(join(tmpdir(), 'capstan-nodes-'))
    const model = await startModelServer()
    const nodes = await Promise.all([1, 2, 3].map(() => Node.start(folder, model.baseURL, postgres)))
    return new Cluster(nodes, folder, () => model[Symbol.asyncDispose]())
  }

  /** Returns what the tools did, by their idempotency keys, in order. */
  async effects(): Promise<readonly string[]> {
    const lines = await readFile(join(this.#folder, 'effects.txt'), 'utf8').catch(() => '')
    return lines.split('\n').filter(Boolean)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const node of this.nodes) node.kill()
    await this.#end()
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

export class Node {
  /** 0 while the process starts. */
  port = 0
  readonly #arguments: readonly string[]
  #child: ChildProcess | undefined

  private constructor(given: readonly string[]) {
    this.#arguments = given
  }

  static async start(folder: string, baseURL: string, postgres = ''): Promise<Node> {
    const node = new Node([folder, baseURL, postgres])
    await node.#start()
    return node
  }

  async restart(): Promise<void> {
    this.kill()
    await this.#start()
  }

  /** Starts the next process when this one has ended by itself. */
  async replace(): Promise<void> {
    const child = this.#child
    child?.kill('SIGTERM')
    if (child) await once(child, 'exit')
    await this.#start()
  }

  kill(): void {
    this.#child?.kill('SIGKILL')
  }

  async #start(): Promise<void> {
    this.port = 0
    const script = fileURLToPath(new URL('node.ts', import.meta.url))
    const child = spawn(
      process.execPath,
      ['--conditions=development', '--import=tsx', script, ...this.#arguments],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    this.#child = child
    const [line] = await once(child.stdout, 'data')
    this.port = Number(String(line).trim())
  }
}
