import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import type { AnyAgent } from '@capstan/core'
import { type Engine, startProcess } from './engine.js'
import { killedAgent } from './killed-agent.js'

export interface Killed {
  /** Requests whose worker was killed. */
  readonly lost: number
  readonly requests: number
  /** The violations found, as text. Empty on success. */
  readonly faults: readonly string[]
}

type Result = Awaited<ReturnType<AnyAgent['run']>>
type StartEngine = (origin: string, agent: string) => Promise<Engine | undefined>

/** `before`: the request that kills has no answer. `behind`: it has one, whose record may not be written. */
export type KillAt = 'before' | 'behind'

/**
 * Kills the worker of a program at each request that the program or its model makes, once, and compares the run with one
 * that nobody disturbs: the same questions with the same sources, and no call twice.
 */
export async function killPrograms(
  startEngine: StartEngine,
  at: KillAt,
  agent = 'program',
): Promise<Killed | undefined> {
  const workers: Promise<ChildProcess>[] = []
  const dead = new Set<string>()
  let kill: (() => void) | undefined
  const service = await startService(async ({ key }, answer) => {
    if (!kill || dead.has(key)) return answer()
    dead.add(key)
    if (at === 'behind') await answer()
    kill()
  })
  const whole = await runUndisturbed(service)
  const engine = await startEngine(service.origin, agent)
  if (!engine) {
    service.close()
    return undefined
  }
  const start = () => workers.push(startProcess(engine, `worker-${workers.length}`, 'worker'))
  const end = async (worker: Promise<ChildProcess> | undefined) => {
    const child = await worker
    child?.kill('SIGKILL')
    if (child && child.exitCode === null && child.signalCode === null) await once(child, 'close')
  }
  let isDying = false
  kill = () => {
    // If two calls are concurrent, one kill hits both.
    if (isDying) return
    isDying = true
    void end(workers.at(-1)).then(() => {
      isDying = false
      start()
    })
  }
  try {
    start()
    await workers[0]
    await engine.runs.start('Go.', { runId: 'killed' })
    const asked: unknown[] = []
    let result: Result = await engine.runs.result('killed')
    for (; result.pending; result = await engine.runs.result('killed')) {
      asked.push(...questionsIn(result))
      for (const { callId } of result.pending) await engine.runs.decide('killed', callId, { type: 'approve' })
    }
    kill = undefined
    const killed = { asked, messages: result.messages, requests: service.of('killed') }
    return { lost: dead.size, requests: service.of('killed').length, faults: faultsOf(killed, whole, at) }
  } finally {
    kill = undefined
    await end(workers.at(-1))
    await engine.close()
    service.close()
  }
}

interface Request {
  readonly key: string
  readonly input: string
  answers: number
}

interface Ended {
  readonly asked: readonly unknown[]
  readonly messages: Result['messages']
  readonly requests: readonly Request[]
}

function faultsOf({ asked, messages, requests }: Ended, whole: Ended, at: KillAt): readonly string[] {
  const keyed = (all: readonly Request[]) =>
    new Set(all.map(({ key, input }) => `${key.slice(key.indexOf('/'))} ${input}`))
  const answers = new Map<string, number>()
  for (const one of requests) answers.set(one.key, (answers.get(one.key) ?? 0) + one.answers)
  // A response that arrived while its worker died may not be recorded, so it counts as not received.
  const most = at === 'before' ? 1 : 2
  return [
    ...(isDeepStrictEqual(asked, whole.asked) ? [] : [`other questions: ${JSON.stringify(asked)}`]),
    ...(isDeepStrictEqual(messages, whole.messages) ? [] : ['another conversation']),
    ...(isDeepStrictEqual(keyed(requests), keyed(whole.requests)) ? [] : ['other calls, or other arguments']),
    ...[...answers].flatMap(([key, times]) => (times > most ? [`${key} was answered ${times} times`] : [])),
  ]
}

/** Returns what a user is shown about the pending calls. */
function questionsIn({ pending = [] }: Result): readonly unknown[] {
  return pending.map(({ callId, name, arguments: given, reason }) => ({ callId, name, given, reason }))
}

async function runUndisturbed({ origin, of }: Service): Promise<Ended> {
  const agent = killedAgent('program', origin)
  const asked: unknown[] = []
  let result: Result = await agent.run(await agent.prepare('Go.', { runId: 'whole' }))
  while (result.pending) {
    asked.push(...questionsIn(result))
    const yes = result.pending.map(({ callId }) => [callId, { type: 'approve' }] as const)
    result = await agent.run(result.state, { decisions: Object.fromEntries(yes) })
  }
  return { asked, messages: result.messages, requests: of('whole') }
}

interface Service {
  readonly origin: string
  /** The requests of a run. */
  of(runId: string): readonly Request[]
  close(): void
}

/** A service that responds to equal requests in the same way. `handle` decides when and whether it responds. */
async function startService(
  handle: (request: Request, answer: () => Promise<void>) => Promise<void>,
): Promise<Service> {
  const requests: Request[] = []
  const server = createServer(async (incoming, response: ServerResponse) => {
    const { key, input } = (await json(incoming)) as Omit<Request, 'answers'>
    const request: Request = { key, input, answers: 0 }
    requests.push(request)
    await handle(request, async () => {
      request.answers += 1
      response.end(`heard ${input}`)
      await once(response, 'close')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    of: (runId) => requests.filter(({ key }) => key.startsWith(`${runId}/`)),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
