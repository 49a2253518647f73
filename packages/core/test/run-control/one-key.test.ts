import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import {
  Agent,
  type AnyTool,
  agentTool,
  backgroundCalls,
  CapstanError,
  cacheTools,
  type Middleware,
  type RunOptions,
  type RunState,
  retryTools,
  tool,
} from '../../src/index.js'
import { jsonSchema } from '../../src/tools/json-schema.js'
import { scriptedModel } from '../scripted-model.js'
import { hostWith } from './host-with.js'
import { throughJson } from './soundness.js'

const parameters = jsonSchema<object>({ type: 'object', properties: {} })
const down = () => {
  throw new CapstanError('api', 'The server is down.')
}

/** A tool that pays, and the keys under which it did; `let` lets it end. */
function payment(settings: object = {}, work: () => unknown = () => 'paid') {
  const keys: string[] = []
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    parameters,
    ...settings,
    execute: (_args, { idempotencyKey }) => {
      keys.push(idempotencyKey)
      return work()
    },
  })
  return { pay, keys }
}

const failureOf = (run: Promise<unknown>) =>
  run.then(
    () => expect.unreachable('the run fails'),
    (error: CapstanError) => error.state as RunState,
  )
const told = ({ messages }: RunState) =>
  messages.filter(({ content }) => String(content).startsWith('Result of background call'))
const middleware = [backgroundCalls()]

test('a run that fails keeps what its background calls came to, and the resumed run delivers it', async () => {
  const { pay, keys } = payment({ background: true })
  const later = async () => {
    await turn()
    return down()
  }
  const agent = new Agent({
    model: scriptedModel([[['pay', {}, 'c1']], later, down, 'Paid.']),
    tools: [pay],
    middleware,
  })
  const failed = throughJson(await failureOf(agent.run('go')))
  expect(failed.kept['background-calls']).toMatchObject([{ callId: 'c1', result: { content: 'paid' } }])
  expect(failed.warnings).toBeUndefined()
  const again = throughJson(await failureOf(agent.run(failed, { runId: 'second' })))
  const { state, undelivered, usage } = await agent.run(again, { runId: 'third' })
  expect(told(state)).toHaveLength(1)
  expect(undelivered).toBeUndefined()
  expect(usage.perTool).toEqual({ pay: 1 })
  expect(keys).toEqual([`${failed.runId}/step0/call0`])
})

test('a run that fails names its unfinished background calls, and one of this process joins them', async () => {
  let end = (_: string) => {}
  const { pay, keys } = payment({ background: true }, () => new Promise((resolve) => (end = resolve)))
  const agent = new Agent({
    model: scriptedModel([[['pay', {}, 'c1']], down, 'Soon.']),
    tools: [pay],
    middleware,
  })
  const failed = throughJson(await failureOf(agent.run('go')))
  expect(failed.warnings).toEqual([
    'Background calls were unfinished when the run failed: pay (c1). A resumed run continues them under the same idempotency keys.',
  ])
  const run = agent.stream(failed, { runId: 'second' })
  run.on('step-end', () => end('paid'))
  const { toolCalls, undelivered } = await run.result
  expect(undelivered).toEqual(['Result of background call c1 (pay): paid'])
  expect(toolCalls).toEqual([])
  expect(keys).toHaveLength(1)
})

test('in another process an unfinished background call begins again under its key', async () => {
  const keys: string[] = []
  const make = (script: Parameters<typeof scriptedModel>[0], work: () => unknown) => {
    const made = payment({ background: true }, work)
    const agent = new Agent({ model: scriptedModel(script), tools: [made.pay], middleware })
    return { agent, keys: made.keys }
  }
  const first = make([[['pay', {}, 'c1']], down], () => new Promise(() => {}))
  const failed = throughJson(await failureOf(first.agent.run('go', { runId: 'one' })))
  const second = make(['Soon.'], () => 'paid')
  await second.agent.run(failed, { runId: 'two' })
  keys.push(...first.keys, ...second.keys)
  expect(keys).toEqual(['one/step0/call0', 'one/step0/call0'])
})

test.each([
  ['a limit', { limits: { steps: 1 } }, { limits: { steps: 9 } }],
  ['an abort', {}, {}],
])(
  'after %s the outcome of a background call is delivered by the resumed run, and counts once',
  async (how, first, next) => {
    const controller = new AbortController()
    const { pay, keys } = payment({ background: true })
    const look = tool({
      name: 'look',
      description: 'L',
      parameters,
      execute: async () => {
        await turn()
        if (how === 'an abort') controller.abort()
        return 'seen'
      },
    })
    const agent = new Agent({
      model: scriptedModel([
        [
          ['pay', {}, 'c1'],
          ['look', {}, 'c2'],
        ],
        ...(how === 'an abort' ? [] : ['What I have.']),
        'Paid.',
      ]),
      tools: [pay, look],
      middleware,
    })
    const stopped = await agent.run('go', { ...first, signal: controller.signal } as RunOptions)
    expect(stopped.undelivered).toHaveLength(1)
    const { state, usage, undelivered } = await agent.run(throughJson(stopped.state), {
      ...next,
      runId: 'second',
    })
    expect(told(state)).toHaveLength(1)
    expect(undelivered).toBeUndefined()
    expect(usage.perTool.pay).toBe(1)
    expect(keys.length).toBeLessThanOrEqual(1)
  },
)

test('a state is kept when a background call ends', async () => {
  const { pay, keys } = payment({ background: true })
  const kept: RunState[] = []
  const slow = async () => {
    for (let n = 0; n < 5; n++) await turn()
    return { message: { role: 'assistant', content: 'ok' } as const }
  }
  const agent = () =>
    new Agent({ model: scriptedModel([[['pay', {}, 'c1']], slow]), tools: [pay], middleware })
  await agent().run('go', { onCheckpoint: (state) => void kept.push(throughJson(state)) })
  // The process dies within the second request: the last state is that of the end of the call.
  const last = kept.findLast(({ stepCount: step, stopReason }) => step === 1 && stopReason === undefined)
  const ok = new Agent({ model: scriptedModel(['ok']), tools: [pay], middleware })
  const { state } = await ok.run(last as RunState)
  expect(told(state)).toHaveLength(1)
  expect(keys).toHaveLength(1)
})

test('a state that is kept while a run waits for its last background calls can be resumed', async () => {
  const ends: ((_: string) => void)[] = []
  const { pay, keys } = payment({ background: true }, () => new Promise((resolve) => ends.push(resolve)))
  const kept: RunState[] = []
  const agent = (...script: Parameters<typeof scriptedModel>[0]) =>
    new Agent({ model: scriptedModel(script), tools: [pay], middleware })
  const calls = ['c1', 'c2'].map((id) => ['pay', {}, id] as const)
  const run = agent(calls, 'Soon.').stream('go', { onCheckpoint: (one) => void kept.push(throughJson(one)) })
  run.on('step-end', ({ step }) => step === 1 && ends[0]?.('paid'))
  while (!kept.some(({ stepCount: steps }) => steps === 2)) await turn()
  // The process dies here.
  const last = kept.at(-1) as RunState
  ends[1]?.('paid')
  await run.result
  const next = agent('Paid.').stream(last)
  next.on('run-start', () => void turn().then(() => ends[2]?.('paid')))
  const { state } = await next.result
  expect(told(state)).toHaveLength(1)
  expect(keys.filter((key) => key.endsWith('call0'))).toHaveLength(1)
})

test('a background call that fails after the last reply leaves a state that can be resumed', async () => {
  const { pay, keys } = payment({ background: true })
  const host = hostWith(async (key) => {
    if (key.includes('background')) throw new Error('the journal is full')
  })
  const agent = new Agent({ model: scriptedModel([[['pay']], 'Soon.', 'Paid.']), tools: [pay], middleware })
  const failed = await failureOf(agent.run('go', { host }))
  const { text } = await agent.run(throughJson(failed))
  expect([text, keys.length]).toEqual(['Paid.', 1])
})

test('a call in the background has one key for the middlewares around it, and no cache keeps its first result', async () => {
  const { pay, keys } = payment({ background: true, effects: 'read' })
  const seen = new Set<string>()
  const watch: Middleware = {
    name: 'watch',
    wrapTool: (call, next) => {
      seen.add(`${call.callId} ${call.idempotencyKey}`)
      return next()
    },
  }
  const script = [[['pay', {}, 'c1']], [['pay', {}, 'c2']], 'ok'] as const
  const agent = new Agent({
    model: scriptedModel(script),
    tools: [pay],
    middleware: [watch, cacheTools({ ttlMs: 1e6 }), backgroundCalls()],
  })
  const { toolCalls } = await agent.run('go', { runId: 'r' })
  expect([...seen]).toEqual(['c1 r/step0/call0', 'c2 r/step1/call0'])
  expect(toolCalls.map(({ content }) => content)).toEqual(['paid', 'paid'])
  expect(keys).toHaveLength(1)
})

test('an agent that takes over may bring calls in the background', async () => {
  const { handoff } = await import('../../src/index.js')
  const { pay, keys } = payment({ background: true })
  const model = scriptedModel([[['transfer_to_clerk']], [['pay', {}, 'c1']], 'Soon.'])
  const clerk = new Agent({ name: 'clerk', model, tools: [pay], middleware })
  const { undelivered } = await new Agent({ model, tools: [handoff(clerk)] }).run('go', { runId: 'r' })
  expect(undelivered).toEqual(['Result of background call c1 (pay): paid'])
  expect(keys).toEqual(['r/step1/call0'])
})

const approve = { c1: { type: 'approve' } } as const
const edited = { c1: { type: 'approve', arguments: { amount: 2 } } } as const
const ways: readonly [string, object, RunOptions['decisions'], readonly Middleware[]][] = [
  ['plain', {}, {}, []],
  ['approved', { needsApproval: true }, approve, []],
  ['edited by a decision', { needsApproval: true }, edited, []],
  ['in the background', { background: true }, {}, middleware],
  ['approved and in the background', { background: true, needsApproval: true }, approve, middleware],
  ['retried', {}, {}, [retryTools({ delayMs: 0, idempotent: ['pay'], on: () => true })]],
  ['cached', {}, {}, [cacheTools({ ttlMs: 1e6, tools: ['pay'] })]],
]

/** The host breaks after each function, and every run that resumes has an id of its own. */
async function brokenKeys(tools: readonly AnyTool[], decisions: RunOptions['decisions'], more: object) {
  let state: RunState | undefined
  let broken = 0
  const host = hostWith(async (key, when) => {
    if (when === 'after' && /tool|decided|background/.test(key) && broken++ < 4) throw new Error('gone')
  })
  for (let run = 0; run < 12; run++) {
    const model = scriptedModel(state ? ['Done.', 'Done.'] : [[['pay', {}, 'c1']], 'Done.', 'Done.'])
    const agent = new Agent({ model, tools, ...more })
    const waiting = state?.pending.map(({ callId }) => callId) ?? []
    const due = Object.entries(decisions ?? {}).filter(([callId]) => waiting.includes(callId))
    try {
      const options: RunOptions = { host, runId: `run-${run}`, decisions: Object.fromEntries(due) }
      const result = await agent.run(state ?? 'go', options)
      if (result.stopReason === 'done') return
      state = throughJson(result.state)
    } catch (error) {
      state = throughJson((error as CapstanError).state as RunState)
    }
  }
}

test.each(ways)(
  'a call has one key in every run that resumes it: %s',
  async (_name, settings, decisions, list) => {
    let times = 0
    const { pay, keys } = payment({ ...settings }, () => {
      if (times++ === 0 && list[0]?.name === 'retry-tools') throw new Error('not now')
      return 'paid'
    })
    await brokenKeys([pay], decisions, { middleware: list })
    expect(keys.length).toBeGreaterThan(0)
    expect(new Set(keys)).toEqual(new Set(['run-0/step0/call0']))
  },
)

test('a call that needs an approval only when it is resumed keeps its key', async () => {
  let asks = false
  const { pay, keys } = payment({ needsApproval: () => asks })
  const host = hostWith(async (key, when) => {
    if (key === 'step0/call0' && when === 'after' && !asks) throw new Error('gone')
  })
  const agent = new Agent({ model: scriptedModel([[['pay', {}, 'c1']], 'Done.']), tools: [pay] })
  const failed = await failureOf(agent.run('go', { host, runId: 'one' }))
  asks = true
  const { state } = await agent.run(throughJson(failed), { runId: 'two' })
  await agent.run(throughJson(state), { runId: 'three', decisions: approve })
  expect(keys).toEqual(['one/step0/call0', 'one/step0/call0'])
})

test('calls of a child run have one key, whichever run begins or resumes it', async () => {
  const { pay, keys } = payment({ needsApproval: true })
  const child = () =>
    new Agent({
      name: 'clerk',
      model: { name: 'm', complete: async ({ messages }) => replyOf(messages.length) },
      tools: [pay],
    })
  const replyOf = (length: number) =>
    length > 1
      ? { message: { role: 'assistant' as const, content: 'Paid.' } }
      : {
          message: {
            role: 'assistant' as const,
            content: null,
            tool_calls: [{ id: 'i1', type: 'function' as const, function: { name: 'pay', arguments: '{}' } }],
          },
        }
  const agent = (...script: Parameters<typeof scriptedModel>[0]) =>
    new Agent({ model: scriptedModel(script), tools: [agentTool(child(), { needsApproval: true })] })
  const first = await agent([['clerk', { input: 'Pay.' }, 'c1']]).run('go', { runId: 'one' })
  const options = (runId: string) => ({ runId, decisions: approve })
  const second = await agent().run(throughJson(first.state), options('two'))
  expect(second.pending).toMatchObject([{ callId: 'c1/i1' }])
  const decisions = { 'c1/i1': { type: 'approve' } } as const
  await agent('Done.').run(throughJson(second.state), { runId: 'three', decisions })
  expect(keys).toEqual(['one/step0/child0/step0/call0'])
})
