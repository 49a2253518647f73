import { type ArtifactStore, memoryArtifacts, type RunState } from '@capstan/core'
import { expect, vi } from 'vitest'
import type { Recorded } from '../../src/recorded.js'
import type { FaultPoint } from '../../src/testing.js'
import type { Asked, PageServer } from './page-server.js'

/** A simulated process: its modules share no memory with others. */
async function newProcess() {
  vi.resetModules()
  const [{ pageAgent }, { journalHost }] = await Promise.all([
    import('./page-agents.js'),
    import('../../src/testing/journal-host.js'),
  ])
  return { pageAgent, journalHost }
}

type Process = Awaited<ReturnType<typeof newProcess>>

export interface PageRun {
  readonly way: string
  readonly server: PageServer
  readonly contextTokens?: number | undefined
  readonly needsApproval?: boolean
}

export interface Ended {
  readonly state: RunState
  /** The points that its processes have reached. */
  readonly points: readonly FaultPoint[]
  readonly asked: readonly Asked[]
}

/**
 * Executes an agent's run with journals. Each time the process dies, a new one continues. Approves each pending call.
 */
export async function runPages(
  runId: string,
  { way, server, ...options }: PageRun,
  dies: (point: FaultPoint) => boolean = () => false,
): Promise<Ended> {
  const artifacts: ArtifactStore = memoryArtifacts()
  const points: FaultPoint[] = []
  const dead = new Set<string>()
  const isDeath = (point: FaultPoint) => {
    points.push(point)
    const name = `${point.when} ${point.key}`
    return dies(point) && !dead.has(name) && dead.add(name) !== undefined
  }
  const agentOf = ({ pageAgent }: Process) => pageAgent(way, { origin: server.origin, artifacts, ...options })
  let state = await agentOf(await newProcess()).prepare('Read the pages.', { runId })
  for (let yes = {}; ; ) {
    const journal = new Map<string, Recorded>()
    let end: RunState | undefined
    while (!end) {
      const process = await newProcess()
      end = await untilDeath(isDeath, (pass, signal) => {
        const host = process.journalHost(journal, { pass })
        const given = JSON.parse(JSON.stringify(state)) as RunState
        return agentOf(process).run(given, { decisions: yes, host, signal, context: undefined as never })
      })
    }
    state = end
    if (state.stopReason !== 'pending') return { state, points, asked: server.of(runId) }
    yes = Object.fromEntries(state.pending.map(({ callId }) => [callId, { type: 'approve' }]))
  }
}

/** Returns the final state. Undefined if the process died before. */
function untilDeath(
  dies: (point: FaultPoint) => boolean,
  run: (
    pass: (point: FaultPoint) => Promise<void>,
    signal: AbortSignal,
  ) => Promise<{ readonly state: RunState }>,
): Promise<RunState | undefined> {
  return new Promise((resolve, reject) => {
    const worker = new AbortController()
    let isDead = false
    const pass = async (point: FaultPoint) => {
      if (!isDead && dies(point)) {
        isDead = true
        resolve(undefined)
        setImmediate(() => worker.abort())
      }
      if (isDead) await new Promise(() => {})
    }
    run(pass, worker.signal).then(({ state }) => resolve(state), reject)
  })
}

/**
 * Expects that a run whose processes died has the same messages, usage and bytes as one without deaths, and no
 * additional summary requests.
 */
export function expectSame(ended: Ended, whole: Ended): void {
  const factsOf = ({ state: { stopReason, messages, kept, usage } }: Ended) => {
    const { seconds: _, ...counts } = usage
    return { stopReason, messages, kept, usage: counts }
  }
  expect(factsOf(ended)).toEqual(factsOf(whole))
  const once = ({ asked }: Ended) => [...new Set(asked.map(({ kind, digest }) => `${kind} ${digest}`))]
  expect(once(ended)).toEqual(once(whole))
  const others = ({ asked }: Ended) => asked.filter(({ kind }) => kind !== 'reply').length
  expect(others(ended)).toBe(others(whole))
}
