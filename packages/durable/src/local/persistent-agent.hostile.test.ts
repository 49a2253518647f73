import { Agent, type ChatModel, jsonSchema, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import { memoryRuns } from './memory-runs.js'
import { persistent } from './persistent-agent.js'

const parameters = jsonSchema({ type: 'object' })
const yes = { type: 'approve' } as const

/** A tool that needs approval and counts its calls. */
function asking(ran: string[] = []) {
  return tool({
    name: 'send',
    description: 'Asks first.',
    parameters,
    needsApproval: true,
    execute: (_args, { callId }) => {
      ran.push(callId)
      return 'sent'
    },
  })
}

const clerk = (
  model: ChatModel = scriptedModel([reply.call('send', {}, { id: 'c1' }), reply.text('Sent.')]),
) => new Agent({ name: 'clerk', model, tools: [asking()] })

test('a stream throws the error of a run that fails or cannot start', async () => {
  const broken: ChatModel = { name: 'm', complete: () => Promise.reject(new Error('broke')) }
  const runs = persistent(clerk(broken), { store: memoryRuns() })
  const read = async (run: AsyncIterable<unknown>) => {
    for await (const _ of run);
  }
  const run = runs.stream('Go.', { runId: 'r' })
  const why = await run.result.catch((error: unknown) => error)
  await expect(read(run)).rejects.toBe(why)
  await expect(read(runs.stream('Stop.', { runId: 'r' }))).rejects.toMatchObject({ code: 'conflict' })
})

test('a run belongs to its agent only, also in a shared store', async () => {
  const store = memoryRuns()
  await persistent(clerk(), { store }).run('Go.', { runId: 'mine' })
  const other = persistent(new Agent({ name: 'other', model: scriptedModel([]), tools: [asking()] }), {
    store,
  })
  const missing = { code: 'not_found' }
  await expect(other.status('mine')).rejects.toMatchObject(missing)
  await expect(other.result('mine')).rejects.toMatchObject(missing)
  await expect(other.decide('mine', 'c1', yes)).rejects.toMatchObject(missing)
  await expect(other.abort('mine')).rejects.toMatchObject(missing)
  await expect(other.recover('mine')).rejects.toMatchObject(missing)
  await expect(other.start('Go.', { runId: 'mine' })).rejects.toMatchObject({ code: 'conflict' })
})

test('the status contains the reason given to abort', async () => {
  for (const [runId, reason] of [
    ['said', 'Enough.'],
    ['unsaid', undefined],
  ] as const) {
    const runs = persistent(clerk(), { store: memoryRuns() })
    await runs.run('Go.', { runId })
    await runs.abort(runId, reason)
    expect((await runs.result(runId)).stopReason).toBe('aborted')
    expect((await runs.status(runId)).reason).toBe(reason)
  }
})

test('a run can be aborted with changed tools and without a context', async () => {
  const store = memoryRuns()
  await persistent(clerk(), { store }).run('Go.', { runId: 'r' })
  const changed = persistent(new Agent({ name: 'clerk', model: scriptedModel([]) }), {
    store,
    context: () => {
      throw new Error('no database')
    },
  })
  await changed.abort('r')
  expect((await changed.result('r')).stopReason).toBe('aborted')
  expect((await changed.status('r')).phase).toBe('ended')
})

test('a wait for a run of another process ends when the client is closed', async () => {
  const store = memoryRuns()
  let release: () => void = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const model: ChatModel = {
    name: 'm',
    async complete(request, sink) {
      await held
      return scriptedModel([reply.text('Done.')]).complete(request, sink)
    },
  }
  const working = persistent(clerk(model), { store })
  await working.start('Go.', { runId: 'r' })
  const runs = persistent(clerk(), { store, pollMs: 60_000 })
  const waiting = runs.result('r')
  waiting.catch(() => {})
  await runs.status('r')
  await runs.close()
  await expect(waiting).rejects.toMatchObject({ code: 'stopped' })
  release()
  expect((await working.result('r')).text).toBe('Done.')
})

test('a call with the id of an earlier call needs its own decision', async () => {
  const ran: string[] = []
  const model = scriptedModel([
    reply.call('send', {}, { id: 'c1' }),
    reply.call('send', {}, { id: 'c1' }),
    reply.text('Sent.'),
  ])
  const runs = persistent(new Agent({ name: 'clerk', model, tools: [asking(ran)] }), { store: memoryRuns() })
  await runs.run('Go.', { runId: 'r' })
  await runs.decide('r', 'c1', yes)
  const second = await runs.result('r')
  expect([second.stopReason, ran]).toEqual(['pending', ['c1']])
})

test('rejects a decision that JSON cannot represent, also before its call is pending', async () => {
  const asked: unknown[] = []
  const script = scriptedModel([reply.text('Done.')])
  const model: ChatModel = {
    name: 'm',
    complete: async (request, sink) => {
      asked.push(await runs.decide('r', 'c1', { type: 'result', value: 1n as never }).catch((error) => error))
      return script.complete(request, sink)
    },
  }
  const runs = persistent(clerk(model), { store: memoryRuns() })
  await runs.run('Go.', { runId: 'r' })
  expect(asked).toMatchObject([{ code: 'invalid_request' }])
})

test('a stream of a state has the events of its run', async () => {
  const state = await clerk().prepare('Go.', { runId: 'kept' })
  const runs = persistent(clerk(), { store: memoryRuns() })
  const run = runs.stream(state)
  expect(run.runId).toBe('kept')
  expect((await run.result).state.runId).toBe('kept')
})
