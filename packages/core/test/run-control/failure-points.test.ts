import { describe, expect, test } from 'vitest'
import { isLong } from '../../../../scripts/cases.mjs'
import { CapstanError, type ChatModel, type CreateHost, type RunState } from '../../src/index.js'
import { hostWith } from './host-with.js'
import { approving, followUp, followUpAnswer, longAnswer } from './long-run.js'
import { throughJson } from './soundness.js'
import { startStrictServer } from './strict-server.js'
import { conflictsOf, type Toolbox, toolbox } from './toolbox.js'
import { isCachedCall, type LongAgent, type Variant, variants } from './variants.js'

/** Runs to the end, approving what waits; what a failure leaves behind is gone on with, through JSON. */
async function untilDone(make: () => LongAgent, host?: CreateHost): Promise<Outcome> {
  const failed: RunState[] = []
  let input: string | RunState = 'Go.'
  let decisions = {}
  for (let round = 0; round < 10; round++) {
    try {
      const result = await make().run(input, { decisions, ...(host ? { host } : {}), runId: 'run-1' })
      if (result.stopReason !== 'pending') return { text: result.text, stopReason: result.stopReason, failed }
      input = throughJson(result.state)
      decisions = approving(result.pending)
    } catch (error) {
      const { state } = error as CapstanError
      if (!state) throw error
      failed.push(state)
      input = throughJson(state)
      decisions = approving(state.pending)
    }
  }
  return expect.unreachable('the run does not get on')
}

interface Outcome {
  readonly text: string
  readonly stopReason: string
  readonly failed: readonly RunState[]
}

/** Every step in `.ci/long`, else every fourth. */
const stride = isLong ? 1 : 4

describe.each(variants)('with $name', (variant) => {
  test('a run whose model fails at any request resumes, and no call runs twice', async () => {
    await using server = await startStrictServer(variant.script, variant.mayBreak)
    const uninterrupted = toolbox()
    await untilDone(() => variant.agentOf(server.model, uninterrupted))
    let failures = 0
    for (let n = 0; failures === n; n++) {
      const box = toolbox()
      const failing = failingAt(n, server.model, () => {
        failures = n + 1
      })
      const outcome = await untilDone(() => variant.agentOf(failing, box))
      expect(outcome).toMatchObject({ text: longAnswer, stopReason: 'done' })
      await expectTalk(outcome, server.model, variant)
      expect(namesOf(box)).toEqual(namesOf(uninterrupted))
      expect(conflictsOf(box.ledger)).toEqual([])
    }
    expect(failures).toBe(5)
    expect(server.faults).toEqual([])
  })

  test.each([
    ['before', 0],
    ['after', 2],
  ] as const)(
    'a run whose host fails %s any step resumes, and repeats at most that step',
    async (when, first) => {
      await using server = await startStrictServer(variant.script, variant.mayBreak)
      const uninterrupted = toolbox()
      await untilDone(() => variant.agentOf(server.model, uninterrupted))
      let failures = 0
      for (let n = first % stride; failures >= n + 1 - stride; n += stride) {
        const box = toolbox()
        let seen = 0
        const host = hostWith(async (_key, moment) => {
          if (moment !== when || seen++ !== n) return
          failures = n + 1
          throw new Error('the host is gone')
        })
        const outcome = await untilDone(() => variant.agentOf(server.model, box), host)
        expect(outcome).toMatchObject({ text: longAnswer, stopReason: 'done' })
        await expectTalk(outcome, server.model, variant)
        const again = namesOf(box).length - namesOf(uninterrupted).length
        expect(again).toBeGreaterThanOrEqual(0)
        expect(again).toBeLessThanOrEqual(when === 'after' ? 1 : 0)
        expect(conflictsOf(box.ledger)).toEqual([])
      }
      expect(failures).toBeGreaterThan(14)
      expect(server.faults).toEqual([])
    },
  )

  test('a run whose checkpoint fails rejects with its state, also for the last one', async () => {
    await using server = await startStrictServer(variant.script, variant.mayBreak)
    let failures = 0
    for (let n = 0; failures === n; n++) {
      let seen = 0
      const onCheckpoint = () => {
        if (seen++ !== n) return
        failures = n + 1
        throw new Error('the disk is full')
      }
      const agent = variant.agentOf(server.model, toolbox())
      const thrown = await agent.run('Go.', { onCheckpoint }).catch((error: unknown) => error)
      if (failures === n) break
      expect(thrown).toBeInstanceOf(CapstanError)
      expect(thrown).toMatchObject({ message: expect.stringContaining('the disk is full') })
      await expectTalk({ failed: [(thrown as CapstanError).state as RunState] }, server.model, variant)
    }
    expect(failures).toBeGreaterThan(3)
    expect(server.faults).toEqual([])
  })
})

/** A model that fails once, at its n-th request. */
function failingAt(n: number, model: ChatModel, tell: () => void): ChatModel {
  let seen = 0
  return {
    ...model,
    async complete(request, sink) {
      if (seen++ !== n) return model.complete(request, sink)
      tell()
      throw new CapstanError('network', 'The line is dead.')
    },
  }
}

/** What a failure left behind can be talked on from as well. */
async function expectTalk(
  { failed }: Pick<Outcome, 'failed'>,
  model: ChatModel,
  variant: Variant,
): Promise<void> {
  for (const { messages } of failed) {
    const result = await variant.agentOf(model, toolbox()).run([...messages, followUp])
    expect(result).toMatchObject({ stopReason: 'done', text: followUpAnswer })
  }
}

/** The names of the calls that ran, without those that a cache usually prevents. */
const namesOf = ({ ran }: Toolbox) =>
  ran.filter((deed) => !isCachedCall(deed)).map((deed) => deed.split(' ')[0])
