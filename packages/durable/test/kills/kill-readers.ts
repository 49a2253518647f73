import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { RunState } from '@capstan/core'
import { type Asked, type PageServer, startPageServer } from '../long-runs/page-server.js'
import { type Engine, startProcess } from './engine.js'
import { killedAgent, type Reader } from './killed-agent.js'

/** The server's context window in tokens, and the number of pages. */
const window = 10_000
const steps = 12
const input = 'Read the pages.'

export interface Reading {
  /** How requests are shortened: the name of an agent of `pageAgent`. */
  readonly way: string
  readonly contextTokens?: number
  /** The number of characters per token. */
  readonly characters: number
  /**
   * The requests of each step at which the worker is killed, while they have no answer: the first one, or the one for the
   * reply, of which summaries are written by then.
   */
  readonly at: 'first' | 'reply'
}

export interface Read {
  readonly kills: number
  readonly requests: number
  readonly summaries: number
  /** The number of requests that were sent again after they had a response. */
  readonly again: number
  /** The violations found, as text. Empty on success. */
  readonly faults: readonly string[]
}

type StartEngine = (origin: string, agent: string) => Promise<Engine | undefined>

/** The runs that shorten their requests, and where their workers are killed. */
export const readings: Readonly<Record<string, Reading>> = {
  'summarizeHistory, killed at the first request of each step': {
    ...{ way: 'summarised', characters: 2.5, at: 'first' },
  },
  'summarizeHistory, killed at each request for a reply': {
    ...{ way: 'summarised', characters: 2.5, at: 'reply' },
  },
  'summarizeHistory with instructions that are computed, killed at the first request of each step': {
    ...{ way: 'computed', characters: 4, at: 'first' },
  },
  'fitWindow over a server that refuses, killed at the first request of each step': {
    ...{ way: 'fitted', characters: 2.5, at: 'first' },
  },
  'fitWindow with a window that is known, killed at each request for a reply': {
    ...{ way: 'fitted', characters: 2.5, contextTokens: window, at: 'reply' },
  },
}

/** Kills a run's worker in each step, and compares the run with one that is not interrupted. */
export async function killReaders(startEngine: StartEngine, reading: Reading): Promise<Read | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'capstan-readers-'))
  const { way, contextTokens, characters, at } = reading
  // Each reading has different pages, because a process remembers the summaries of equal texts.
  const says = `The boats of ${way} ${at} go out at six.`
  const agent = JSON.stringify({
    ...{ way, folder, says, ...(contextTokens && { contextTokens }) },
  } satisfies Reader)
  const unanswered: Asked[] = []
  let kill: (() => void) | undefined
  await using server = await startPageServer({
    ...{ steps, window, characters },
    async before(asked) {
      const isDead = unanswered.some(({ step }) => step === asked.step)
      if (!kill || isDead || (at === 'reply' && asked.kind !== 'reply')) return
      unanswered.push(asked)
      kill()
      await new Promise(() => {})
    },
  })
  const whole = await readUndisturbed(agent, server)
  const engine = await startEngine(server.origin, agent)
  if (!engine) return undefined
  const workers: Promise<ChildProcess>[] = []
  const start = () => workers.push(startProcess(engine, `reader-${workers.length}`, 'reader'))
  const end = async (worker: Promise<ChildProcess> | undefined) => {
    const child = await worker
    child?.kill('SIGKILL')
    if (child) await once(child, 'close')
  }
  kill = () => void end(workers.at(-1)).then(start)
  try {
    start()
    await workers[0]
    await engine.runs.start(input, { runId: 'killed' })
    const { state } = await engine.runs.result('killed')
    kill = undefined
    return compare({ state, asked: server.of('killed') }, whole, unanswered)
  } finally {
    await end(workers.at(-1))
    await engine.close()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Ended {
  readonly state: RunState
  readonly asked: readonly Asked[]
}

async function readUndisturbed(text: string, server: PageServer): Promise<Ended> {
  const agent = killedAgent(text, server.origin)
  const state = await agent.prepare(input, { runId: 'whole' })
  const result = await agent.run(state)
  return { state: result.state, asked: server.of('whole') }
}

function compare(ended: Ended, whole: Ended, unanswered: readonly Asked[]): Read {
  const { asked } = ended
  const lines = asked.map(lineOf)
  const answered = new Map<string, number>()
  for (const line of lines) answered.set(line, (answered.get(line) ?? 0) + 1)
  for (const line of unanswered.map(lineOf)) answered.set(line, (answered.get(line) ?? 0) - 1)
  const again = [...answered].filter(([, times]) => times > 1)
  const summaries = asked.filter(({ kind }) => kind === 'summary')
  const faults = [
    ...difference('the state', factsOf(ended), factsOf(whole)),
    ...difference('the requests', [...new Set(lines)], whole.asked.map(lineOf)),
    ...again.map(([line, times]) => `${line} was answered ${times} times`),
    ...(unanswered.length === steps + 1 ? [] : [`only ${unanswered.length} steps were killed`]),
    ...(new Set(summaries.map(lineOf)).size > 2 ? [] : ['there were too few summaries']),
  ]
  return {
    kills: unanswered.length,
    requests: asked.length,
    summaries: new Set(summaries.map(lineOf)).size,
    again: again.length,
    faults,
  }
}

function lineOf({ step, kind, digest }: Asked): string {
  return `step ${step}: ${kind} ${digest.slice(0, 12)}`
}

function factsOf({ state: { stopReason, messages, kept, usage } }: Ended): unknown {
  const { seconds: _, ...counts } = usage
  return { stopReason, messages, kept, usage: counts }
}

function difference(what: string, one: unknown, other: unknown): readonly string[] {
  if (isDeepStrictEqual(one, other)) return []
  const [text, wanted] = [JSON.stringify(one), JSON.stringify(other)]
  const from = [...wanted].findIndex((character, at) => character !== text[at])
  const excerptOf = (all: string) => all.slice(Math.max(0, from - 40), from + 120)
  return [`${what} differ: "${excerptOf(text)}" in place of "${excerptOf(wanted)}"`]
}
