import { describe, expect, test } from 'vitest'
import { isLong } from '../../../../scripts/cases.mjs'
import { slowTest } from '../../../../scripts/slow-test.mjs'
import type { ChatModel, CreateHost, RunState } from '../../src/index.js'
import { memoryHost } from '../../src/run/memory-host.js'
import { hostWith, type Journal, journalHost } from './host-with.js'
import { approving, longAnswer, storyOf } from './long-run.js'
import { throughJson } from './soundness.js'
import { type StrictServer, startStrictServer } from './strict-server.js'
import { conflictsOf, enter, type Ledger, type Toolbox, toolbox } from './toolbox.js'
import { type Variant, variants, withoutCached } from './variants.js'

/** What outlives a process: the last state that was kept, and what was done in the world. */
interface World {
  readonly variant: Variant
  readonly server: StrictServer
  readonly box: Toolbox
  kept: string | RunState
}

/** Every moment of a run in `.ci/long`, else every sixth: each test begins with another, so that they share them. */
const stride = isLong ? 1 : 6
const deathsOf = ({ moments }: Variant, first: number) => Math.ceil((moments - (first % stride)) / stride)

type Dies = 'with an error' | 'without a word'
type Waits = 'in two runs' | 'in one run that waits'

const worldOf = (server: StrictServer, variant: Variant): World => ({
  variant,
  server,
  box: toolbox(),
  kept: 'Go.',
})

const deaths: readonly [Dies, Waits, first: number, turn: number][] = [
  ['with an error', 'in two runs', 0, 0],
  ['without a word', 'in two runs', 2, 1],
  ['without a word', 'in one run that waits', 4, 0],
]

describe.each(variants)('with $name', (variant) => {
  const nth = variants.indexOf(variant)
  /** In `npm test` the variants share these tests. */
  const inTurn = (turn: number) => (turn === nth ? test : slowTest)

  test.each(deaths.filter(([, , , turn]) => isLong || turn === nth))(
    'a process that dies %s at any moment of a run, %s, resumes from its last checkpoint',
    async (dies, waits, first) => {
      await using server = await startStrictServer(variant.script, variant.mayBreak)
      const calm = worldOf(server, variant)
      const whole = await toTheEnd(calm, waits)
      expect([...calm.box.ledger.keys()].toSorted()).toEqual(variant.keys)
      expect(whole.messages.at(-1)?.content).toBe(longAnswer)
      let deaths = 0
      for (;;) {
        const world = worldOf(server, variant)
        if (!(await dieAt((first % stride) + deaths * stride, world, { dies, waits }))) break
        deaths += 1
        const state = await toTheEnd(world, waits)
        expect(storyOf(state.messages)).toEqual(storyOf(whole.messages))
        expect(state.usage.perTool).toEqual(whole.usage.perTool)
        expect(conflictsOf(world.box.ledger)).toEqual([])
        expect(withoutCached(world.box.ledger.keys(), variant)).toEqual(variant.keys)
      }
      expect(deaths).toBe(deathsOf(variant, first))
      expect(server.faults).toEqual([])
    },
  )

  inTurn(1)('a host with a journal repeats a run from its start with the same effects', async () => {
    await using server = await startStrictServer(variant.script, variant.mayBreak)
    const whole = await toTheEnd(worldOf(server, variant), 'in one run that waits')
    const first = 1
    let deaths = 0
    for (;;) {
      const world = worldOf(server, variant)
      const journal: Journal = new Map()
      const death = { dies: 'without a word', waits: 'in one run that waits', journal } as const
      if (!(await dieAt((first % stride) + deaths * stride, world, death))) break
      deaths += 1
      world.kept = 'Go.'
      const repeated = { ...sound, host: journalHost(journal, memoryHost) }
      const state = await toTheEnd(world, 'in one run that waits', repeated)
      expect(storyOf(state.messages)).toEqual(storyOf(whole.messages))
      expect(conflictsOf(world.box.ledger)).toEqual([])
      expect(withoutCached(world.box.ledger.keys(), variant)).toEqual(variant.keys)
    }
    expect(deaths).toBe(deathsOf(variant, first))
  })

  inTurn(0)('the same check detects a process that restarts the run', async () => {
    await using server = await startStrictServer(variant.script, variant.mayBreak)
    let found = 0
    for (let n = 5 % stride; ; n += stride) {
      const world = worldOf(server, variant)
      if (!(await dieAt(n, world, { dies: 'with an error', waits: 'in two runs' }))) break
      const hadDone = world.box.ran.length > 0
      world.kept = 'Go.'
      const state = await toTheEnd(world, 'in two runs')
      expect(state.messages.at(-1)?.content).toBe(longAnswer)
      expect(conflictsOf(world.box.ledger).length > 0).toBe(hadDone)
      found += Number(hadDone)
    }
    expect(found).toBeGreaterThan(20 / stride)
  })
})

interface Death {
  readonly dies: Dies
  readonly waits: Waits
  /** Where the host of that process records its steps. */
  readonly journal?: Journal
}

/** Runs in a process that dies at its n-th moment; whether it came to that. */
function dieAt(n: number, world: World, { dies, waits, journal }: Death): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let moments = 0
    const isDead = () => moments > n
    const dying = hostWith(async () => {
      moments += 1
      if (!isDead()) return
      if (dies === 'with an error') throw new Error('The process is gone.')
      resolve(true)
      await new Promise<never>(() => {})
    })
    const host = journal ? journalHost(journal, dying) : dying
    const survived = () => resolve(false)
    toTheEnd(world, waits, { host, isDead }).then(survived, (error) =>
      isDead() ? resolve(true) : reject(error),
    )
  })
}

interface Process {
  readonly host: CreateHost
  isDead(): boolean
}

const sound: Process = { host: memoryHost, isDead: () => false }

/** Resumes the stored state through JSON with a new agent, and approves pending calls. */
async function toTheEnd(world: World, waits: Waits, { host, isDead }: Process = sound): Promise<RunState> {
  const { variant, box, server } = world
  const onCheckpoint = (state: RunState) => {
    if (!isDead()) world.kept = throughJson(state)
  }
  const model = inLedger(server.model, box.ledger)
  const agent = () => variant.agentOf(model, box)
  const options = { onCheckpoint, runId: 'run-1', host }
  if (waits === 'in one run that waits') {
    const run = agent().stream(throughJson(world.kept), { ...options, wait: true })
    run.on('call-pending', ({ callId }) => void run.decide(callId, { type: 'approve' }))
    return (await run.result).state
  }
  for (;;) {
    const decisions = typeof world.kept === 'string' ? {} : approving(world.kept.pending)
    const { state } = await agent().run(throughJson(world.kept), { ...options, decisions })
    if (state.stopReason !== 'pending') return state
  }
}

/** A model whose requests are deeds as well: one key, one conversation. */
function inLedger(model: ChatModel, ledger: Ledger): ChatModel {
  return {
    ...model,
    complete(request, sink) {
      enter(ledger, request.idempotencyKey, request.messages)
      return model.complete(request, sink)
    },
  }
}
