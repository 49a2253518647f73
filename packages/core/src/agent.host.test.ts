import { expect, test } from 'vitest'
import { named } from '../test/call-context.js'
import { type Said, scriptedModel } from '../test/scripted-model.js'
import { Agent } from './index.js'
import { memoryHost } from './run/memory-host.js'
import type { CreateHost, HostContext, HostStep, RunHost, Settled, Step } from './types/host.js'

/** A host that records what it is asked for and, where it knows a key's value already, gives that back. */
function recordingHost(known = new Map<string, unknown>(), changes: Partial<RunHost> = {}) {
  const asked: string[] = []
  const bindings: HostContext[] = []
  const bind: CreateHost = (binding) => {
    bindings.push(binding)
    const inner = memoryHost(binding)
    const perform = async <T>(step: Step<T>): Promise<T> => {
      const { kind, name } = (step as HostStep<T>).options ?? {}
      asked.push(`${step.key} ${kind} ${name}`)
      if (!known.has(step.key)) known.set(step.key, structuredClone(await inner.step(step)))
      return known.get(step.key) as T
    }
    return {
      ...inner,
      step: perform,
      all: <T>(steps: readonly Step<T>[]) =>
        Promise.all(
          steps.map(async (step): Promise<Settled<T>> => ({ ok: true, value: await perform(step) })),
        ),
      waitFor: async (key) => {
        asked.push(key)
        return undefined
      },
      ...changes,
    }
  }
  return { bind, asked, bindings, known }
}

const script: readonly Said[] = [
  [
    ['f', { a: 1 }],
    ['g', { b: 2 }],
  ],
  [['f', { a: 3 }]],
  'Done.',
]

test('every request and every call is one step of the host, by its key and kind', async () => {
  const keys: string[] = []
  const f = named('f', (_args, { idempotencyKey, step }) => void keys.push(`${step} ${idempotencyKey}`))
  const { bind, asked, bindings } = recordingHost()
  const model = scriptedModel(script)
  const agent = new Agent({ model, tools: [f, named('g', () => 1)] })
  await agent.run('Go.', { host: bind, runId: 'run-1', context: { user: 'Ada' } })
  expect(asked).toEqual([
    'step0/request model m',
    'step0/call0 tool f',
    'step0/call1 tool g',
    'step1/request model m',
    'step1/call0 tool f',
    'step2/request model m',
  ])
  expect(keys).toEqual(['0 run-1/step0/call0', '1 run-1/step1/call0'])
  expect(model.requests.map(({ idempotencyKey }) => idempotencyKey)).toEqual([
    'run-1/step0/request',
    'run-1/step1/request',
    'run-1/step2/request',
  ])
  expect(bindings).toMatchObject([{ runId: 'run-1', context: { user: 'Ada' }, emit: undefined }])
  expect(bindings[0]?.signal.aborted).toBe(false)
  expect(bindings[0]).not.toHaveProperty('decided')
})

test('a final answer is a step like others', async () => {
  const { bind, asked } = recordingHost()
  const agent = new Agent({ model: scriptedModel([[['f']], 'So far.']), tools: [named('f', () => 1)] })
  await agent.run('Go.', { host: bind, limits: { steps: 1 } })
  expect(asked).toEqual(['step0/request model m', 'step0/call0 tool f', 'step1/final model m'])
})

test('a host that repeats steps is left to do so: the model asks once', async () => {
  for (const retries of ['host', 'core'] as const) {
    const model = scriptedModel(['Done.'])
    await new Agent({ model }).run('Go.', { host: recordingHost(new Map(), { retries }).bind })
    expect(model.requests[0]?.retries).toBe(retries === 'core')
  }
})

test('a run is told the time by its host, and asks for it only where time is limited', async () => {
  let asks = 0
  const { bind } = recordingHost(new Map(), { now: async () => 1e6 + 2000 * asks++ })
  const agent = new Agent({ model: scriptedModel(script), tools: [named('f', () => 1), named('g', () => 1)] })
  const timed = await agent.run('Go.', { host: bind, limits: { seconds: 1e6, steps: 1 }, runId: 'r' })
  expect(asks).toBeGreaterThan(1)
  expect(timed.usage.seconds).toBe(2 * (asks - 1))
  const never = async () => expect.unreachable('nobody asks')
  const untimed = recordingHost(new Map(), { now: never, id: never, sleep: never })
  expect((await new Agent({ model: scriptedModel(['Done.']) }).run('Go.', { host: untimed.bind })).text).toBe(
    'Done.',
  )
})

test('a run that is repeated from what was recorded comes to the same, and runs and asks nothing again', async () => {
  const ran: unknown[] = []
  const tools = [
    named('f', (args) => {
      ran.push(args)
      return args
    }),
    named('g', () => {
      throw new Error('broken')
    }),
  ]
  const { bind, known } = recordingHost()
  const options = { runId: 'run-1', limits: { steps: 5 } }
  const model = scriptedModel(script)
  const first = await new Agent({ model, tools }).run('Go.', { ...options, host: bind })
  expect(ran).toHaveLength(2)
  const nobody = scriptedModel([() => expect.unreachable('nobody is asked')])
  const replay = recordingHost(new Map(known))
  const again = await new Agent({ model: { ...nobody, name: 'm' }, tools }).run('Go.', {
    ...options,
    host: replay.bind,
  })
  expect(ran).toHaveLength(2)
  expect(again.state).toEqual(first.state)
  expect(again.toolCalls).toEqual(first.toolCalls)
  expect(again.text).toBe('Done.')
})

test('what a step comes to is JSON', async () => {
  const { bind, known } = recordingHost()
  const f = named('f', () => ({ at: new Date(0), nested: [null] }))
  await new Agent({ model: scriptedModel([[['f']], 'Done.']), tools: [f] }).run('Go.', { host: bind })
  for (const value of known.values()) expect(JSON.parse(JSON.stringify(value))).toEqual(value)
})

test('a call that waits is recorded as such, asked about, and after the yes runs under a key of its own', async () => {
  const send = named('send', () => 'sent', { needsApproval: true })
  const model = () => scriptedModel([[['send', {}, 'c1']], 'Done.'])
  const { bind, asked, known } = recordingHost()
  const { state } = await new Agent({ model: model(), tools: [send] }).run('Go.', { host: bind })
  expect(state.stopReason).toBe('pending')
  expect(asked).toEqual(['step0/request model m', 'step0/call0 tool send', 'step0/decision0'])
  expect(known.get('step0/call0')).toMatchObject({ status: 'pending', kind: 'approval' })
  const next = recordingHost()
  const agent = new Agent({ model: scriptedModel(['Done.']), tools: [send] })
  await agent.run(state, { host: next.bind, decisions: { c1: { type: 'approve' } } })
  expect(next.asked).toEqual(['step0/decided0 tool send', 'step1/request model m'])
})

test('a decision may come from the host', async () => {
  const send = named('send', () => 'sent', { needsApproval: true })
  const waitFor = (async () => ({ type: 'deny', reason: 'no' })) as RunHost['waitFor']
  const { bind } = recordingHost(new Map(), { waitFor })
  const agent = new Agent({ model: scriptedModel([[['send']], 'Done.']), tools: [send] })
  const { toolCalls, stopReason } = await agent.run('Go.', { host: bind })
  expect(stopReason).toBe('done')
  expect(toolCalls).toMatchObject([{ status: 'denied' }])
})

test('a step that the host fails with ends the run with what was done all the same', async () => {
  const all = (async (steps: readonly Step<unknown>[]) =>
    steps.map(({ key }) =>
      key.endsWith('0')
        ? { ok: true, value: { status: 'ok', content: 'recorded', ms: 1 } }
        : { ok: false, error: new Error('the journal is full') },
    )) as RunHost['all']
  const { bind } = recordingHost(new Map(), { all })
  const agent = new Agent({ model: scriptedModel(script), tools: [named('f', () => 1), named('g', () => 1)] })
  await expect(agent.run('Go.', { host: bind })).rejects.toMatchObject({
    code: 'api',
    message: 'The run failed: the journal is full',
    state: { results: { 0: { content: 'recorded' } } },
  })
})
