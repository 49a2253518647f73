import { type ChildProcess, execFile, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Measure } from './measure.js'
import type { Scenario } from './scenarios.js'
import type { Tally } from './server.js'

/** Node, and where the server is. */
export interface Site {
  readonly node: string
  readonly origin: string
}

export interface Server {
  readonly origin: string
  /** What came since the last tally. */
  tally(): Promise<Tally>
  close(): void
}

export async function startServer(node: string): Promise<Server> {
  const server = spawn(node, [fileOf('server')], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [origin] = (await once(createInterface(server.stdout), 'line')) as [string]
  return {
    origin,
    tally: async () => (await fetch(`${origin}/tally`, { method: 'POST' })).json() as Promise<Tally>,
    close: () => server.kill(),
  }
}

/** A process of one peer on one scenario, that repeats it when asked. */
export class Worker {
  readonly #child: ChildProcess
  readonly #ready: Promise<unknown>

  constructor(peer: string, scenario: Scenario, { node, origin }: Site) {
    this.#child = fork(fileOf('work'), [peer, scenario.name, origin], { execPath: node, execArgv: [] })
    this.#ready = this.#next()
    this.#ready.catch(() => {})
  }

  async repeat(runs: number): Promise<Measure> {
    await this.#ready
    this.#child.send({ runs })
    return (await this.#next()) as Measure
  }

  close(): void {
    this.#child.kill()
  }

  async #next(): Promise<unknown> {
    const ended = once(this.#child, 'exit').then(([code]) => {
      throw new Error(`the process ended with ${code}`)
    })
    const [message] = await Promise.race([once(this.#child, 'message'), ended])
    return message
  }
}

/** A fresh process that does its one thing and ends. */
export async function startCold(peer: string, scenario: Scenario, { node, origin }: Site): Promise<Measure> {
  const { stdout } = await promisify(execFile)(node, [fileOf('cold'), peer, scenario.name, origin])
  return JSON.parse(stdout) as Measure
}

function fileOf(name: string): string {
  return fileURLToPath(new URL(`./${name}.js`, import.meta.url))
}
