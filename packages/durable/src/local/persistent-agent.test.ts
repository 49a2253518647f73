import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, CapstanError, type ChatModel, jsonSchema, type RunEvent, tool } from '@capstan/core'
import { reply, type ScriptStep, scriptedModel } from '@capstan/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { folderRuns } from './folder-runs.js'
import { memoryRuns } from './memory-runs.js'
import { persistent } from './persistent-agent.js'
import type { RunStateStore } from './run-store.js'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'capstan-local-'))
})
afterAll(() => rm(root, { recursive: true }))

const parameters = jsonSchema({ type: 'object' })

/** An agent whose tools record their calls; `send` needs approval. */
function clerk(script: readonly ScriptStep[], model: ChatModel = scriptedModel(script)) {
  const did: string[] = []
  const named = (name: string, needsApproval = false) =>
    tool({
      name,
      description: 'Is written down.',
      parameters,
      needsApproval,
      execute: (_args, { idempotencyKey }) => {
        did.push(`${name} ${idempotencyKey}`)
        return name
      },
    })
  return { agent: new Agent({ name: 'clerk', model, tools: [named('note'), named('send', true)] }), did }
}

const sending = () => [
  reply.calls(reply.call('note', {}, { id: 'c0' }), reply.call('send', {}, { id: 'c1' })),
  reply.call('note', {}, { id: 'c2' }),
  reply.text('Sent.'),
]
const yes = { type: 'approve' } as const
const later = () => new Promise((resolve) => setImmediate(resolve))

test('a run ends with a result that other processes can load', async () => {
  const store = memoryRuns()
  const { agent, did } = clerk([reply.call('note'), reply.text('Done.')])
  const result = await persistent(agent, { store }).run('Go.', { runId: 'r' })
  expect(result).toMatchObject({ stopReason: 'done', text: 'Done.' })
  expect(did).toEqual(['note r/step0/call0'])
  const elsewhere = persistent(clerk([]).agent, { store })
  const again = await elsewhere.result('r')
  expect(again.orThrow().text).toBe('Done.')
  expect({ ...again, orThrow: 0 }).toEqual({ ...JSON.parse(JSON.stringify(result)), orThrow: 0 })
  expect(await elsewhere.status('r')).toMatchObject({
    phase: 'ended',
    stopReason: 'done',
    stepCount: 2,
    pending: [],
  })
})

test('lists its runs by phase, in parts, and none of another agent', async () => {
  const store = memoryRuns()
  const runs = persistent(clerk(sending()).agent, { store })
  await runs.run('Go.', { runId: 'b' })
  await persistent(clerk(sending()).agent, { store }).run('Go.', { runId: 'a' })
  await persistent(clerk([reply.text('Done.')]).agent, { store }).run('Go.', { runId: 'c' })
  const other = new Agent({ name: 'other', model: scriptedModel([reply.text('Done.')]) })
  await persistent(other, { store }).run('Go.', { runId: 'd' })
  const idsOf = async (options?: Parameters<typeof runs.list>[0]) => {
    const { runs: found, after } = await runs.list(options)
    return [found.map(({ runId, phase }) => `${runId} ${phase}`), after]
  }
  expect(await idsOf()).toEqual([['a pending', 'b pending', 'c ended'], undefined])
  expect(await idsOf({ phases: ['pending'], limit: 1 })).toEqual([['a pending'], 'a'])
  expect(await idsOf({ phases: ['pending'], limit: 1, after: 'a' })).toEqual([['b pending'], undefined])
})

test('a pending run is stored and continues in the process that decides', async () => {
  const folder = join(root, 'waits')
  const first = clerk(sending())
  const before = await persistent(first.agent, { store: folderRuns(folder) }).run('Go.', { runId: 'r' })
  expect(before).toMatchObject({ stopReason: 'pending', pending: [{ callId: 'c1' }] })
  expect(before.toolCalls.map(({ callId, status }) => `${callId} ${status}`)).toEqual(['c0 ok'])
  const second = clerk(sending().slice(1))
  const runs = persistent(second.agent, { store: folderRuns(folder) })
  expect(await runs.status('r')).toMatchObject({
    phase: 'pending',
    pending: [{ callId: 'c1', name: 'send' }],
  })
  await runs.decide('r', 'c1', yes)
  const after = await runs.result('r')
  expect(after.text).toBe('Sent.')
  expect(after.toolCalls.map(({ name, status }) => `${name} ${status}`)).toEqual([
    'note ok',
    'send ok',
    'note ok',
  ])
  expect([...first.did, ...second.did]).toEqual([
    'note r/step0/call0',
    'send r/step0/call1',
    'note r/step1/call0',
  ])
  expect(await runs.status('r')).toMatchObject({ phase: 'ended', attempts: 2 })
})

test('two concurrent equal decisions are accepted, and the call runs once', async () => {
  const folder = join(root, 'twice')
  const first = clerk(sending())
  await persistent(first.agent, { store: folderRuns(folder) }).run('Go.', { runId: 'r' })
  const clerks = [clerk(sending().slice(1)), clerk(sending().slice(1))]
  const sides = clerks.map(({ agent }) => persistent(agent, { store: folderRuns(folder), pollMs: 5 }))
  await Promise.all(sides.map((side) => side.decide('r', 'c1', yes)))
  const results = await Promise.all(sides.map((side) => side.result('r')))
  expect(results.map((result) => result.text)).toEqual(['Sent.', 'Sent.'])
  expect(clerks.flatMap(({ did }) => did)).toEqual(['send r/step0/call1', 'note r/step1/call0'])
})

test('a different decision is a conflict, the same one is not, and one on an unknown call is rejected', async () => {
  const runs = persistent(clerk(sending()).agent, { store: memoryRuns() })
  await runs.run('Go.', { runId: 'r' })
  await expect(runs.decide('r', 'nothing', yes)).rejects.toMatchObject({ code: 'invalid_request' })
  await expect(runs.decide('x', 'c1', yes)).rejects.toMatchObject({ code: 'not_found' })
  await runs.decide('r', 'c1', yes)
  await runs.decide('r', 'c1', { type: 'approve' })
  await expect(runs.decide('r', 'c1', { type: 'deny', reason: 'no' })).rejects.toMatchObject({
    code: 'conflict',
  })
  expect((await runs.result('r')).text).toBe('Sent.')
  await runs.decide('r', 'c1', yes)
  await expect(runs.decide('r', 'c9', yes)).rejects.toMatchObject({ code: 'invalid_request' })
})

test('a decision can arrive before its call is pending; one that does not fit is dropped', async () => {
  for (const [decision, phase] of [
    [yes, 'ended'],
    [{ type: 'deny' } as never, 'pending'],
  ] as const) {
    const script = scriptedModel(sending())
    const model: ChatModel = {
      name: 'm',
      complete: async (request, sink) => {
        if (request.idempotencyKey === 'r/step0/request') await runs.decide('r', 'c1', decision)
        return script.complete(request, sink)
      },
    }
    const runs = persistent(clerk([], model).agent, { store: memoryRuns() })
    await runs.run('Go.', { runId: 'r' })
    expect(await runs.status('r')).toMatchObject({ phase })
  }
})

test('the same id finds the same run, and is a conflict for other input', async () => {
  const { agent, did } = clerk([reply.call('note'), reply.text('Done.')])
  const runs = persistent(agent, { store: memoryRuns() })
  const results = await Promise.all([1, 2, 3].map(() => runs.run('Go.', { runId: 'r' })))
  expect(results.map(({ text: said }) => said)).toEqual(['Done.', 'Done.', 'Done.'])
  expect(did).toHaveLength(1)
  await expect(runs.start('Stop.', { runId: 'r' })).rejects.toMatchObject({ code: 'conflict' })
  await expect(runs.result('other')).rejects.toMatchObject({ code: 'not_found' })
  await expect(runs.status('other')).rejects.toMatchObject({ code: 'not_found' })
})

test('an abort ends a pending run at once, and a running one at its next step', async () => {
  const waiting = clerk(sending())
  const runs = persistent(waiting.agent, { store: memoryRuns() })
  await runs.run('Go.', { runId: 'r' })
  await runs.abort('r', 'Enough.')
  expect((await runs.result('r')).stopReason).toBe('aborted')
  expect(await runs.status('r')).toMatchObject({ phase: 'ended', stopReason: 'aborted', pending: [] })
  await runs.abort('r')
  expect(waiting.did).toEqual(['note r/step0/call0'])

  const script = scriptedModel([reply.call('note'), reply.call('note'), reply.text('Never.')])
  const model: ChatModel = {
    name: 'm',
    complete: async (request, sink) => {
      if (request.idempotencyKey === 's/step1/request') await elsewhere.abort('s')
      return script.complete(request, sink)
    },
  }
  const store = memoryRuns()
  const working = clerk([], model)
  const elsewhere = persistent(clerk([]).agent, { store })
  expect((await persistent(working.agent, { store }).run('Go.', { runId: 's' })).stopReason).toBe('aborted')
  expect(working.did).toEqual(['note s/step0/call0'])
})

test('a run fails with the error of the agent, in every process', async () => {
  const model: ChatModel = {
    name: 'm',
    complete: async () => {
      throw new CapstanError('auth', 'Wrong key.', { evidence: { hint: 1 } })
    },
  }
  const store = memoryRuns()
  const runs = persistent(clerk([], model).agent, { store })
  await expect(runs.run('Go.', { runId: 'r' })).rejects.toMatchObject({ code: 'auth' })
  await expect(persistent(clerk([]).agent, { store }).result('r')).rejects.toMatchObject({
    code: 'auth',
    message: 'Wrong key.',
    evidence: { hint: 1 },
    state: { runId: 'r' },
  })
  expect(await runs.status('r')).toMatchObject({
    phase: 'failed',
    error: { code: 'auth', message: 'Wrong key.' },
  })
})

test('recovers a run from the start of its interrupted step; the old process stops if it is alive', async () => {
  const store = memoryRuns()
  const keys: string[] = []
  let release: (value: string) => void = () => {}
  const held = (wait: boolean) =>
    tool({
      name: 'hold',
      description: 'Takes its time.',
      parameters,
      execute: (args, { idempotencyKey }) => {
        keys.push(`${idempotencyKey} ${JSON.stringify(args)}`)
        return wait
          ? new Promise<string>((resolve) => {
              release = resolve
            })
          : 'ok'
      },
    })
  const agent = (wait: boolean, script: readonly ScriptStep[]) =>
    new Agent({ model: scriptedModel(script), tools: [held(wait)] })
  const gone = persistent(agent(true, [reply.call('hold', { n: 7 }), reply.text('Not heard.')]), { store })
  await gone.start('Go.', { runId: 'r' })
  const lost = gone.result('r')
  while (keys.length === 0) await later()
  expect(await gone.status('r')).toMatchObject({ phase: 'running', stepCount: 1, attempts: 1 })
  const other = persistent(agent(false, [reply.text('Done.')]), { store })
  await other.recover('r')
  expect((await other.result('r')).text).toBe('Done.')
  expect(keys).toEqual(['r/step0/call0 {"n":7}', 'r/step0/call0 {"n":7}'])
  release('late')
  await expect(lost).rejects.toMatchObject({ code: 'conflict' })
  expect(await gone.status('r')).toMatchObject({ phase: 'ended', attempts: 2 })
  await other.recover('r')
  expect((await gone.result('r')).text).toBe('Done.')
})

test('a failed write is reported, and the run can be recovered from its last stored state', async () => {
  const kept = memoryRuns()
  let isFull = false
  const store: RunStateStore = {
    ...kept,
    save: async (runId, run, version) => {
      if (isFull) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
      return kept.save(runId, run, version)
    },
  }
  const script = scriptedModel([reply.call('note'), reply.text('Done.'), reply.text('Done.')])
  const model: ChatModel = {
    name: 'm',
    complete: async (request, sink) => {
      isFull ||= request.idempotencyKey === 'r/step1/request' && script.requests.length === 1
      return script.complete(request, sink)
    },
  }
  const { agent, did } = clerk([], model)
  const runs = persistent(agent, { store })
  await expect(runs.run('Go.', { runId: 'r' })).rejects.toMatchObject({
    message: expect.stringMatching(/ENOSPC/),
    state: { stepCount: 2 },
  })
  isFull = false
  expect(await runs.status('r')).toMatchObject({ phase: 'running', stepCount: 1 })
  await runs.recover('r')
  expect((await runs.result('r')).text).toBe('Done.')
  expect(did).toEqual(['note r/step0/call0'])
})

test('a run whose process dies at its end is recovered', async () => {
  const stored = memoryRuns()
  let dies = () => {}
  const died = new Promise<void>((resolve) => {
    dies = resolve
  })
  const store: RunStateStore = {
    ...stored,
    async save(runId, run, version) {
      if (run.phase === 'running') return stored.save(runId, run, version)
      dies()
      return new Promise(() => {})
    },
  }
  const script = [reply.call('note', {}, { id: 'c1' }), reply.text('Done.')]
  const { agent, did } = clerk(script)
  await persistent(agent, { store }).start('Go.', { runId: 'r' })
  await died
  const other = clerk([reply.text('Done.')])
  const runs = persistent(other.agent, { store: stored })
  await runs.recover('r')
  expect(await runs.result('r')).toMatchObject({ stopReason: 'done', text: 'Done.' })
  expect([...did, ...other.did]).toEqual(['note r/step0/call0'])
})

test('a stream has the events and the result of the run', async () => {
  const runs = persistent(clerk([reply.call('note'), reply.text('Done.')]).agent, { store: memoryRuns() })
  const stream = runs.stream('Go.', { runId: 'r' })
  const events: RunEvent[] = []
  for await (const event of stream) events.push(event)
  expect(events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['run-start', 'text-delta', 'tool-end', 'run-end']),
  )
  expect((await stream.result).text).toBe('Done.')
})

test('a stream throws the error of a failed run behind its last event, to a reader that continues after a pause too', async () => {
  const runs = persistent(clerk([reply.call('note'), reply.fail('auth')]).agent, { store: memoryRuns() })
  const stream = runs.stream('Go.', { runId: 'r' })
  const types: string[] = []
  for await (const { type } of stream) {
    types.push(type)
    if (type === 'tool-end') break
  }
  const rest = async () => {
    for await (const { type } of stream) types.push(type)
  }
  await expect(rest()).rejects.toMatchObject({ code: 'auth' })
  expect(types.filter((type) => type === 'tool-end' || type === 'run-start')).toEqual([
    'run-start',
    'tool-end',
  ])
  expect(types.at(-1)).toBe('run-end')
  await expect(stream.result).rejects.toMatchObject({ code: 'auth' })
})

test('creates the context in the executing process, from the data of the run', async () => {
  const who = tool({
    name: 'who',
    description: 'Says for whom it works.',
    parameters,
    execute: (_args, { context }: { readonly context: { readonly user: string } }) => context.user,
  })
  const agent = new Agent({ model: scriptedModel([reply.call('who'), reply.text('Done.')]), tools: [who] })
  const runs = persistent(agent, {
    store: memoryRuns(),
    context: async (runId, data) => ({ user: `${runId} ${JSON.stringify(data)}` }),
  })
  const { toolCalls } = await runs.run('Go.', { runId: 'r', data: { name: 'Ada' } })
  expect(toolCalls[0]?.content).toBe('r {"name":"Ada"}')
})

test('a pending run continues with the same tools in another order', async () => {
  const store = memoryRuns()
  await persistent(clerk(sending()).agent, { store }).run('Go.', { runId: 'r' })
  const { agent, did } = clerk(sending().slice(1))
  const reordered = new Agent({
    name: 'clerk',
    model: scriptedModel(sending().slice(1)),
    tools: agent.tools.toReversed(),
  })
  const runs = persistent(reordered, { store })
  await runs.decide('r', 'c1', yes)
  expect((await runs.result('r')).text).toBe('Sent.')
  expect(did[0]).toMatch(/^send /)
})

test('a run survives changed tools and a context that cannot be created', async () => {
  const store = memoryRuns()
  const waiting = clerk(sending())
  await persistent(waiting.agent, { store }).run('Go.', { runId: 'r' })
  const changed = persistent(new Agent({ name: 'clerk', model: scriptedModel([]) }), { store })
  await expect(changed.decide('r', 'c1', yes)).rejects.toMatchObject({ code: 'conflict' })
  expect(await changed.status('r')).toMatchObject({ phase: 'pending' })
  const unable = persistent(waiting.agent, {
    store,
    context: () => {
      throw new Error('no database')
    },
  })
  await unable.decide('r', 'c1', yes)
  await expect(unable.result('r')).rejects.toThrow('no database')
  await expect(unable.result('r')).rejects.toThrow('no database')
  await changed.recover('r')
  await expect(changed.result('r')).rejects.toMatchObject({ code: 'conflict' })
  expect(await changed.status('r')).toMatchObject({ phase: 'running', attempts: 3 })
  const able = persistent(clerk(sending().slice(1)).agent, { store })
  await able.recover('r')
  expect((await able.result('r')).text).toBe('Sent.')
})

test('the steps of a stored result are those of the whole run, over all its waits', async () => {
  const store = memoryRuns()
  const runs = persistent(clerk(sending()).agent, { store })
  const before = await runs.run('Go.', { runId: 'r' })
  const namesOf = ({ steps }: typeof before) =>
    steps.map(({ toolCalls }) => toolCalls.map(({ name }) => name))
  expect(namesOf(before)).toEqual([['note']])
  await runs.decide('r', 'c1', yes)
  const after = await runs.result('r')
  expect(namesOf(after)).toEqual([['note', 'send'], ['note'], []])
  expect(after.steps.map(({ step, text: said, usage }) => [step, said, usage.requests])).toEqual([
    [0, '', 1],
    [1, '', 1],
    [2, 'Sent.', 1],
  ])
  expect(after.steps[0]).toMatchObject({ model: 'scripted', ms: before.steps[0]?.ms })
  expect(after.stepCount).toBe(3)
})

test('the reason of an abort is in the stored result', async () => {
  const runs = persistent(clerk(sending()).agent, { store: memoryRuns() })
  await runs.run('Go.', { runId: 'r' })
  await runs.abort('r', 'No longer needed.')
  expect(await runs.result('r')).toMatchObject({ stopReason: 'aborted', abortReason: 'No longer needed.' })
})
