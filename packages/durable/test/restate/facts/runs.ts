import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { Agent, type RunEvent } from '@capstan/core'
import { durable } from '@capstan/durable/restate'
import { plannedModel } from '../../planned-model.js'
import type { Facts } from '../facts.js'
import { until, withWorker } from '../with-worker.js'

export const facts: Facts = {
  'a run comes to what agent.run gives, and its calls run once': (stage) =>
    withWorker(stage, async ({ agents: { adder }, lines }) => {
      const result = await adder.run('Add.', { runId: 'sums' })
      equal(result.orThrow().text, 'Done after 3 results.')
      equal(result.stepCount, 3)
      equal(result.usage.totalTokens, 45)
      deepEqual(
        result.toolCalls.map(({ callId, status, result: sum }) => [callId, status, sum]),
        [
          ['c0_0', 'ok', 3],
          ['c0_1', 'ok', 7],
          ['c1_0', 'ok', 11],
        ],
      )
      deepEqual(lines, ['add sums/step0/call0', 'add sums/step0/call1', 'add sums/step1/call0'])
      const { phase, stopReason, stepCount, worker } = await adder.status('sums')
      deepEqual([phase, stopReason, stepCount], ['ended', 'done', 3])
      match(worker ?? '', /^http:/)
    }),

  'a run that is asked for twice is one; under its id nothing else can be asked for': (stage) =>
    withWorker(stage, async ({ agents: { adder }, lines, go, come }) => {
      const [one, other] = await Promise.all([
        adder.run('Add.', { runId: 'twice' }),
        adder.run('Add.', { runId: 'twice' }),
      ])
      deepEqual(other.state, one.state)
      equal(lines.length, 3)
      await rejects(adder.start('Something else.', { runId: 'twice' }), { code: 'conflict' })
      await go()
      await adder.start('Add.', { runId: 'unbegun' })
      await adder.start('Add.', { runId: 'unbegun' })
      await rejects(adder.start('Something else.', { runId: 'unbegun' }), { code: 'conflict' })
      equal((await adder.status('unbegun')).phase, 'queued')
      await come()
      equal((await adder.result('unbegun')).stopReason, 'done')
    }),

  'nothing is known of a run that was never started': (stage) =>
    withWorker(stage, async ({ agents: { adder } }) => {
      const missing = { code: 'not_found' }
      await rejects(adder.result('no'), missing)
      await rejects(adder.status("no' or 'a' = 'a"), missing)
      await rejects(adder.decide('no', 'c', { type: 'approve' }), missing)
      await rejects(adder.abort('no'), missing)
    }),

  'reports an agent without a worker': async ({ ingress, admin }) => {
    const agent = new Agent({ name: 'unserved', model: plannedModel([]) })
    await rejects(durable(agent, { ingress, admin }).run('Go.'), {
      code: 'not_found',
      message: /startWorker/,
    })
  },

  'a model that fails fails the run, whose state is on the error and not printed': (stage) =>
    withWorker(stage, async ({ agents: { failing } }) => {
      const error = await failing.run('Go.').then(
        () => undefined,
        (thrown) => thrown,
      )
      deepEqual([error.code, error.status, error.name], ['quota', 429, 'CapstanError'])
      equal(error.state.messages.length, 1)
      ok(!Object.keys(error).includes('state'))
      const { phase, error: told } = await failing.status(error.state.runId)
      deepEqual([phase, told?.code], ['failed', 'quota'])
    }),

  'agents within a run are runs of their own, with its context, and answer its calls': (stage) =>
    withWorker(stage, async ({ agents: { outer } }) => {
      const first = await outer.run('Go.', { runId: 'nested', data: 'guest' })
      deepEqual(
        first.pending?.map(({ callId, agent }) => [callId, agent]),
        [['c0_0/c0_1', 'sender']],
      )
      await outer.decide('nested', 'c0_0/c0_1', { type: 'approve' })
      const end = await outer.result('nested')
      equal(end.text, 'Done after 3 results.')
      deepEqual(
        end.messages.flatMap((one) => (one.role === 'tool' ? [one.content] : [])),
        ['Done after 2 results.', 'Done after 1 results.', '3'],
      )
      const inner = await outer.status('nested/step0/child1')
      equal(inner.phase, 'ended')
      equal(end.usage.totalTokens, 2 * 15 + 2 * 15 + 2 * 15)
    }),

  'the context is made of the id and the data of a run': (stage) =>
    withWorker(stage, async ({ agents: { known } }) => {
      const { toolCalls } = await known.run('Who?', { runId: 'whose', data: 'guest' })
      equal(toolCalls[0]?.result, 'guest of whose')
    }),

  'what happens in a run is heard while it is worked on here, and what was kept is said to be': (stage) =>
    withWorker(
      stage,
      async ({ agents: { chief }, lines, go, come }) => {
        const heard: RunEvent[] = []
        const live = chief.stream('Go.', { runId: 'heard' })
        const listening = (async () => {
          for await (const event of live) heard.push(event)
        })()
        await until(() => lines.some((line) => line.startsWith('slow')))
        await go()
        await come()
        equal((await live.result).stopReason, 'done')
        await listening
        const replayed = heard.flatMap((event) =>
          event.type === 'step-replayed' ? [`${event.parentCallId ?? ''} ${event.step} ${event.key}`] : [],
        )
        ok(replayed.includes('c0_0 0 step0/call0'), replayed.join())
        ok(heard.some(({ type, parentCallId }) => type === 'tool-end' && parentCallId === 'c0_0'))
        deepEqual(
          heard.map(({ seq }) => seq),
          heard.map((_, at) => at),
        )
      },
      { hold: onlyOnce() },
    ),

  'a step that takes longer than a silent run is left with its worker is done once': (stage) =>
    withWorker(
      stage,
      async ({ agents: { waiter }, lines }) => {
        equal((await waiter.run('Go.')).text, 'Done after 4 results.')
        equal(lines.length, 4)
      },
      { hold: () => new Promise((resolve) => setTimeout(resolve, 1000)) },
    ),

  'a result that is too long to be kept is told to the model, and not run again': (stage) =>
    withWorker(stage, async ({ agents: { wordy } }) => {
      const { toolCalls, stopReason } = await wordy.run('Go.')
      equal(stopReason, 'done')
      deepEqual([toolCalls[0]?.status, toolCalls[0]?.result], ['error', undefined])
      match(toolCalls[0]?.content ?? '', /maxStepBytes: 262144/)
    }),

  'rejects a state that is too long before it is stored': async ({ ingress, admin }) => {
    const agent = new Agent({ name: 'adder', model: plannedModel([]) })
    const runs = durable(agent, { ingress, admin, maxStateBytes: 1000 })
    await rejects(runs.start('x'.repeat(2000)), { code: 'invalid_state', message: /maxStateBytes: 1000/ })
  },
}

/** Blocks the first call until it is aborted. */
function onlyOnce(): (signal: AbortSignal) => Promise<void> {
  let isFirst = true
  return (signal) => {
    if (!isFirst) return Promise.resolve()
    isFirst = false
    return new Promise((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
    )
  }
}
