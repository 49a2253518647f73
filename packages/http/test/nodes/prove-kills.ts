// Kills processes that serve an agent, while clients read its runs and decide on its calls. No event is lost or comes
// twice, no effect comes twice, and each question is answered.
//
//   node --conditions=development --import=tsx packages/http/test/nodes/prove-kills.ts 500

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startModelServer } from './model-server.js'

export interface Proof {
  readonly kills: number
  readonly runs: number
  readonly events: number
  /** Runs that went on in another process. */
  readonly recovered: number
  readonly effects: number
  /** What did not hold. */
  readonly faults: readonly string[]
}

/** Runs clients against three processes until this many of them were killed, and what is open has ended. */
export async function proveKills(kills: number, clients = 3): Promise<Proof> {
  const folder = await mkdtemp(join(tmpdir(), 'capstan-kills-'))
  await using model = await startModelServer()
  const nodes = await Promise.all([1, 2, 3].map(() => Node.start(folder, model.baseURL)))
  const proof = { kills: 0, runs: 0, events: 0, recovered: 0, effects: 0, faults: [] as string[] }
  let isOver = false
  const client = async () => {
    while (!isOver) {
      const seen = await followRun(nodes)
      if (!seen) continue
      proof.runs += 1
      proof.events += seen.events.length
      if (seen.events.some(({ event }) => event === 'run-recovered')) proof.recovered += 1
      proof.faults.push(...seen.faults)
    }
  }
  const all = Promise.all(Array.from({ length: clients }, client))
  try {
    for (; proof.kills < kills; proof.kills++) {
      await sleep(100 + Math.random() * 500)
      const victim = nodes[Math.floor(Math.random() * nodes.length)]
      await victim?.restart()
    }
    isOver = true
    await all
    const lines = await readFile(join(folder, 'effects.txt'), 'utf8').catch(() => '')
    const keys = lines.split('\n').filter(Boolean)
    proof.effects = keys.length
    const twice = keys.filter((key, index) => keys.indexOf(key) !== index)
    proof.faults.push(...twice.map((key) => `effect ${key} came twice`))
    return proof
  } finally {
    isOver = true
    for (const node of nodes) node.kill()
    await rm(folder, { recursive: true, force: true })
  }
}

class Node {
  port = 0
  #child: ChildProcess | undefined

  private constructor(
    readonly folder: string,
    readonly baseURL: string,
  ) {}

  static async start(folder: string, baseURL: string): Promise<Node> {
    const node = new Node(folder, baseURL)
    await node.#start()
    return node
  }

  async restart(): Promise<void> {
    this.kill()
    await this.#start()
  }

  kill(): void {
    this.#child?.kill('SIGKILL')
  }

  async #start(): Promise<void> {
    const script = fileURLToPath(new URL('node.ts', import.meta.url))
    const child = spawn(
      process.execPath,
      ['--conditions=development', '--import=tsx', script, this.folder, this.baseURL],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    this.#child = child
    const [line] = await once(child.stdout, 'data')
    this.port = Number(String(line).trim())
  }
}

interface SentEvent {
  readonly id: number
  readonly event: string
  readonly data: string
}

/** Starts a run, reads it to its end over whichever process lives, and decides on its calls. */
async function followRun(nodes: readonly Node[]) {
  const events: SentEvent[] = []
  const faults: string[] = []
  let turn = 0
  const at = (path: string) => `http://127.0.0.1:${nodes[turn++ % nodes.length]?.port}${path}`
  const headers = { 'content-type': 'application/json' }
  const post = (path: string, body: object) =>
    fetch(at(path), { method: 'POST', headers, body: JSON.stringify(body) })
  const started = await post('/runs', { input: 'Go.', session: crypto.randomUUID() }).catch(() => undefined)
  const runId = started?.headers.get('x-run-id')
  if (!started?.ok || !runId) return undefined
  let result = await readEvents(started, events)
  for (let tries = 0; tries < 400; tries++) {
    const last = events.at(-1)?.id ?? -1
    if (!result) {
      await sleep(20)
      const response = await fetch(at(`/runs/${runId}/events?after=${last}`)).catch(() => undefined)
      if (response && !response.ok) faults.push(`events: ${response.status} ${await response.text()}`)
      if (response?.ok) result = await readEvents(response, events)
      continue
    }
    const { stopReason, pending = [] } = JSON.parse(result)
    if (stopReason !== 'pending') {
      if (stopReason !== 'done') faults.push(`run ${runId} ended as ${stopReason ?? result}`)
      checkSeqs(runId, events, faults)
      return { events, faults }
    }
    result = undefined
    for (const { callId } of pending) {
      const body = { callId, decision: { type: 'approve' } }
      const response = await post(`/runs/${runId}/decisions`, body).catch(() => undefined)
      if (response && response.status >= 400 && response.status < 500)
        faults.push(`decision: ${response.status} ${await response.text()}`)
    }
  }
  faults.push(`run ${runId} does not end`)
  return { events, faults }
}

function checkSeqs(runId: string, events: readonly SentEvent[], faults: string[]): void {
  for (const [index, { id }] of events.entries())
    if (id !== index) return void faults.push(`run ${runId}: event ${index} has the number ${id}`)
}

/** Reads a stream as far as it goes. Returns the result, if it came. */
async function readEvents(response: Response, events: SentEvent[]): Promise<string | undefined> {
  let text = ''
  const take = () => {
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end)
      text = text.slice(end + 2)
      if (block.startsWith(':')) continue
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s, 2)))
      if (fields.event === 'result' || fields.event === 'error') return fields.data as string
      events.push({ id: Number(fields.id), event: fields.event, data: fields.data })
    }
    return undefined
  }
  try {
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece
      const result = take()
      if (result !== undefined) return result
    }
  } catch {
    // The process was killed.
  }
  return undefined
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const proof = await proveKills(Number(process.argv[2] ?? 100), Number(process.argv[3] ?? 3))
  const { faults, ...counts } = proof
  console.log(JSON.stringify(counts))
  for (const fault of faults.slice(0, 20)) console.error(fault)
  if (faults.length > 0) process.exitCode = 1
}
