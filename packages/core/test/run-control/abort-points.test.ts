import { describe, expect, test } from 'vitest'
import { isLong } from '../../../../scripts/cases.mjs'
import { slowTest } from '../../../../scripts/slow-test.mjs'
import { abortable } from '../../src/async.js'
import type { AnyTool, CreateHost, RunEvent, RunResult, RunState } from '../../src/index.js'
import { memoryHost } from '../../src/run/memory-host.js'
import { hostWith } from './host-with.js'
import { approving, followUp, followUpAnswer, longAnswer } from './long-run.js'
import { expectSound, expectWholeStory, throughJson } from './soundness.js'
import { type StrictServer, startStrictServer } from './strict-server.js'
import { toolbox } from './toolbox.js'
import { type LongAgent, type Variant, variants } from './variants.js'

interface Interruption {
  readonly signal: AbortSignal
  readonly observe?: (event: RunEvent) => void
  readonly host?: CreateHost
}

type Play = (agent: LongAgent, interruption: Interruption) => Promise<LongResult>
type LongResult = RunResult<readonly AnyTool[]>

const agentOf = ({ variant, server, concurrency }: Site) =>
  variant.agentOf(server.model, toolbox(), { concurrency })

/** In two runs: the second begins with the decisions. */
const inTwoRuns: Play = async (agent, options) => {
  const first = await agent.run('Go.', options)
  if (first.stopReason !== 'pending') return first
  return agent.run(throughJson(first.state), { ...options, decisions: approving(first.pending) })
}

/** In one run, which waits for the decisions, and keeps its state. */
const streamed: Play = (agent, options) => {
  const run = agent.stream('Go.', { ...options, wait: true, onCheckpoint: async () => {} })
  run.on('call-pending', ({ callId }) => void run.decide(callId, { type: 'approve' }).catch(() => {}))
  return run.result
}

type Way = readonly [name: string, play: Play, concurrency: number]
const ways: readonly [Way, Way, Way] = [
  ['in two runs', inTwoRuns, 8],
  ['streamed', streamed, 8],
  ['streamed, one call at a time', streamed, 1],
]

describe.each(variants)('with $name', (variant) => {
  const nth = variants.indexOf(variant)
  /** In `npm test` the variants share these tests. */
  const inTurn = (turn: number) => (turn === nth ? test : slowTest)

  test.each(ways)('a long run, %s, finishes without an abort', async (_name, play, concurrency) => {
    await using server = await startStrictServer(variant.script, variant.mayBreak)
    const result = await play(agentOf({ variant, server, concurrency }), {
      signal: new AbortController().signal,
    })
    expect(result).toMatchObject({ stopReason: 'done', text: longAnswer, stepCount: 5 })
    expect(server.faults).toEqual([])
  })

  for (const [turn, [name, play, concurrency]] of [ways[0], ways[2]].entries())
    inTurn(turn)(`a long run, ${name}, can be aborted at every event`, async () => {
      await using server = await startStrictServer(variant.script, variant.mayBreak)
      const site = { variant, server, concurrency, first: 2 * turn }
      const points = await atEvery(site, async (agent, moment, signal) => {
        const events: RunEvent[] = []
        const observe = (event: RunEvent) => {
          if (event.type === 'run-start') events.splice(0)
          events.push(event)
          moment()
        }
        const result = await play(agent, { signal, observe })
        expectWholeStory(events, result)
        expectTruth(events, result)
        return result
      })
      expect(points).toBeGreaterThan(50)
      expect(server.faults).toEqual([])
    })

  inTurn(0)('a long run can be aborted before and after every step', async () => {
    await using server = await startStrictServer(variant.script, variant.mayBreak)
    const site = { variant, server, concurrency: 8, first: 1 }
    const points = await atEvery(site, (agent, moment, signal) =>
      streamed(agent, { signal, host: hostWith(async () => moment()) }),
    )
    expect(points).toBe(variant.moments)
    expect(server.faults).toEqual([])
  })

  inTurn(1)('a long run whose host gives up at once can be aborted at every event', async () => {
    await using server = await startStrictServer(variant.script, variant.mayBreak)
    const site = { variant, server, concurrency: 8, first: 5 }
    const points = await atEvery(site, (agent, observe, signal) =>
      streamed(agent, { signal, observe, host: impatient }),
    )
    expect(points).toBeGreaterThan(50)
    expect(server.faults).toEqual([])
  })
})

/** Every moment in `.ci/long`, else every eighth: each test begins with another, so that they share the moments. */
const stride = isLong ? 1 : 8

interface Site {
  readonly variant: Variant
  readonly server: StrictServer
  readonly concurrency: number
  /** The first moment to abort at, where not every one is tried. */
  readonly first?: number
}

/** Plays once for each of a run's moments, or for some of them, and aborts at it; how many there were. */
async function atEvery(
  site: Site,
  play: (agent: LongAgent, moment: () => void, signal: AbortSignal) => Promise<LongResult>,
): Promise<number> {
  for (let n = (site.first ?? 0) % stride; ; n += stride) {
    const stop = new AbortController()
    let moments = 0
    const moment = () => {
      if (moments++ === n) stop.abort(new Error(`at moment ${n}`))
    }
    const result = await play(agentOf(site), moment, stop.signal)
    if (!stop.signal.aborted) return moments
    await expectToGoOn(result, site)
  }
}

/** A host that waits for no step once the run is aborted. */
const impatient: CreateHost = (binding) => {
  const inner = memoryHost(binding)
  const { signal } = binding
  return {
    ...inner,
    step: (step) => abortable(signal, inner.step(step)),
    all: (steps) => abortable(signal, inner.all(steps)),
    waitFor: (key, options) => abortable(signal, inner.waitFor(key, options)),
  }
}

/** No call that ran is reported as not run. */
function expectTruth(events: readonly RunEvent[], { messages }: LongResult): void {
  const started = events.flatMap((event) => (event.type === 'tool-start' ? [event.callId] : []))
  const told = messages.filter((one) => one.role === 'tool' && started.includes(one.tool_call_id))
  expect(told.filter(({ content }) => String(content).includes('did not run'))).toEqual([])
}

async function expectToGoOn(result: LongResult, site: Site): Promise<void> {
  expect(['aborted', 'done']).toContain(result.stopReason)
  expectSound(result)
  const next = await agentOf(site).run([...result.messages, followUp])
  expect(next).toMatchObject({ stopReason: 'done', text: followUpAnswer })
  if (result.stopReason === 'done') return
  const rest = await toTheEnd(agentOf(site), throughJson(result.state))
  expect(rest).toMatchObject({ stopReason: 'done', text: longAnswer })
}

async function toTheEnd(agent: LongAgent, state: RunState): Promise<LongResult> {
  const result = await agent.run(state)
  return result.stopReason === 'pending'
    ? agent.run(throughJson(result.state), { decisions: approving(result.pending) })
    : result
}
