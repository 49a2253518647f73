// Runs 200 concurrent clients for 30 s over all endpoints and prints the results. Exits with 1 when a promise
// is broken: node --conditions=development --import=tsx FILE [seconds]
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type FloodClient, floodClients, speech } from './flood-requests.js'

const seconds = Number(process.argv[2] ?? 30)
/** After this the workers of the service have ended. */
const idleMs = 40_000
/** Pause between two requests of a client, like a user who reads. Milliseconds. */
const thinkMs = 1000

const limits = { chatMs: 50, growthMb: 64 }

const child = fork(fileURLToPath(new URL('./flood-service.ts', import.meta.url)), {
  execArgv: ['--expose-gc', '--conditions=development', '--import=tsx'],
})
const [{ baseURL, apiKey }] = (await once(child, 'message')) as [{ baseURL: string; apiKey: string }]
const authorization = `Bearer ${apiKey}`

interface Outcome {
  readonly name: string
  readonly status: number | string
  readonly ms: number
}

async function ask({ name, path, body: toBody }: FloodClient): Promise<Outcome & { waitMs: number }> {
  const body = toBody()
  const type = typeof body === 'string' ? { 'content-type': 'application/json' } : {}
  const started = performance.now()
  try {
    const response = await fetch(baseURL + path, {
      method: 'POST',
      headers: { authorization, ...type },
      body,
    })
    const length = (await response.arrayBuffer()).byteLength
    const ms = performance.now() - started
    const waitMs = Number(response.headers.get('retry-after') ?? 0) * 1000
    const isSilent = response.ok ? length === 0 : response.status === 429 && waitMs === 0
    return { name, status: isSilent ? `${response.status} without its due` : response.status, ms, waitMs }
  } catch (error) {
    return { name, status: String(error), ms: performance.now() - started, waitMs: 0 }
  }
}

async function flood(clients: readonly FloodClient[], ms: number): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const end = performance.now() + ms
  const loop = async (client: FloodClient) => {
    await setTimeout(Math.random() * thinkMs)
    while (performance.now() < end) {
      const outcome = await ask(client)
      outcomes.push(outcome)
      await setTimeout(Math.min(outcome.waitMs || thinkMs, Math.max(0, end - performance.now())))
    }
  }
  await Promise.all(clients.flatMap((client) => Array.from({ length: client.count }, () => loop(client))))
  return outcomes
}

async function memory(): Promise<number> {
  child.send('memory')
  const [{ megabytes }] = (await once(child, 'message')) as [{ megabytes: number }]
  return megabytes
}

async function record(): Promise<Blob> {
  const body = JSON.stringify({
    model: 'gpt-4o-mini-tts',
    voice: 'slt',
    input: speech,
    response_format: 'wav',
  })
  const headers = { authorization, 'content-type': 'application/json' }
  return (await fetch(`${baseURL}/audio/speech`, { method: 'POST', headers, body })).blob()
}

function at(share: number, values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return Math.round(sorted[Math.floor(sorted.length * share)] ?? Number.NaN)
}

function print(clients: readonly FloodClient[], outcomes: readonly Outcome[]): void {
  for (const { name, count } of clients) {
    const own = outcomes.filter((outcome) => outcome.name === name)
    const served = own.filter(({ status }) => status === 200).map(({ ms }) => ms)
    const later = own.filter(({ status }) => status === 429).length
    const times = `median ${at(0.5, served)} ms, 95 % ${at(0.95, served)} ms`
    console.log(
      `${name.padEnd(15)} ${count} clients: ${served.length} answered (${times}), ${later} asked to wait`,
    )
  }
}

const clients = floodClients(await record())
await flood(clients, 5000)
await setTimeout(idleMs)
const before = await memory()
const outcomes = await flood(clients, seconds * 1000)
await setTimeout(idleMs)
const after = await memory()
child.send('close')
await once(child, 'exit')

print(clients, outcomes)
const chats = outcomes
  .filter(({ name, status }) => name.startsWith('chat') && status === 200)
  .map(({ ms }) => ms)
const failures = outcomes.filter(({ status }) => status !== 200 && status !== 429)
console.log(`chat: median ${at(0.5, chats)} ms of ${chats.length}`)
console.log(`memory when idle: ${before} MB before, ${after} MB after`)
console.log(
  `failures: ${failures.length} ${[...new Set(failures.map(({ name, status }) => `${name} ${status}`))].join('; ')}`,
)
const isKept = failures.length === 0 && at(0.5, chats) < limits.chatMs && after - before < limits.growthMb
process.exitCode = isKept ? 0 : 1
