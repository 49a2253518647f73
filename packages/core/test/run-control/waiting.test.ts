import { expect, test } from 'vitest'
import { Agent, type AnyTool, type CreateHost, type Decision, type RunEvent } from '../../src/index.js'
import { memoryHost } from '../../src/run/memory-host.js'
import { call, calls } from './scenario.js'
import { expectSound, expectWholeStory } from './soundness.js'
import { type Line, startStrictServer } from './strict-server.js'
import { toolbox } from './toolbox.js'

type Decide = (callId: string, decision: Decision) => Promise<void>

/** A run that waits; `decide` is called as each call comes to wait. */
async function play(
  script: readonly Line[],
  onPending: (id: string, run: Waited) => void,
  host?: CreateHost,
) {
  await using server = await startStrictServer(script)
  const box = toolbox()
  const agent = new Agent<readonly AnyTool[]>({
    model: server.model,
    tools: box.tools,
  })
  const events: RunEvent[] = []
  const observe = (event: RunEvent) => events.push(event)
  const run = agent.stream('Go.', { wait: true, observe, ...(host ? { host } : {}) })
  run.on('call-pending', ({ callId }) => onPending(callId, run))
  const result = await run.result
  expectSound(result)
  expectWholeStory(events, result)
  expect(server.faults).toEqual([])
  expect(server.requests).toHaveLength(script.length)
  return { result, ran: box.ran, told: result.toolCalls.map(({ content }) => content), run }
}

interface Waited {
  readonly decide: Decide
  abort(reason?: unknown): void
}

const send = (to = 'Ada') => call('send', { to })
const approve = { type: 'approve' } as const
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'accepted',
    ({ code }) => code,
  )

test('a waiting run continues when its call is approved', async () => {
  const { result, ran } = await play(
    [calls(send()), { text: 'Done.' }],
    (id, run) => void run.decide(id, approve),
  )
  expect(result).toMatchObject({ stopReason: 'done', text: 'Done.', stepCount: 2 })
  expect(ran).toEqual(['send {"to":"Ada"}'])
})

test.each<[string, Decision, string | RegExp]>([
  ['with edited arguments', { ...approve, arguments: { to: 'Eve' } }, 'sent to Eve'],
  ['as denied', { type: 'deny', reason: 'no' }, /denied: no/],
  ['by its result', { type: 'result', value: { by: 'hand' } }, '{"by":"hand"}'],
])('a pending call is answered %s', async (_what, decision, content) => {
  const { told } = await play([calls(send()), { text: 'Done.' }], (id, run) => void run.decide(id, decision))
  expect(told).toEqual([expect.stringMatching(content)])
})

test('accepts decisions in any order, and runs calls after the last', async () => {
  const ids: string[] = []
  const { told } = await play(
    [calls(send('Ada'), send('Bob'), send('Eve')), { text: 'Done.' }],
    (id, run) => {
      if (ids.push(id) < 3) return
      for (const one of ids.toReversed()) void run.decide(one, approve)
    },
  )
  expect(told).toEqual(['sent to Ada', 'sent to Bob', 'sent to Eve'])
})

test('rejects an invalid decision, and the call stays pending', async () => {
  const codes: string[] = []
  const { result } = await play([calls(send()), { text: 'Done.' }], async (id, run) => {
    codes.push(await codeOf(run.decide('nobody', approve)))
    codes.push(await codeOf(run.decide(id, { type: 'maybe' } as never)))
    codes.push(await codeOf(run.decide(id, { ...approve, arguments: { to: 7 } })))
    codes.push(await codeOf(run.decide(id, approve)))
  })
  expect(codes).toEqual(['invalid_request', 'invalid_request', 'invalid_arguments', 'accepted'])
  expect(result.stopReason).toBe('done')
})

test('rejects a second decision on a call', async () => {
  const codes: string[] = []
  const { told } = await play([calls(send()), { text: 'Done.' }], (id, run) => {
    const both = [run.decide(id, { type: 'deny', reason: 'no' }), run.decide(id, approve)]
    for (const one of both) void codeOf(one).then((code) => codes.push(code))
  })
  expect(codes).toEqual(['accepted', 'invalid_request'])
  expect(told).toEqual([expect.stringMatching(/denied: no/)])
})

test('rejects a decision after the end', async () => {
  const { run } = await play([{ text: 'Done.' }], () => {})
  await expect(run.decide('call_0_0', approve)).rejects.toMatchObject({ code: 'invalid_request' })
})

test('an abort while waiting marks pending calls as not run, and keeps results', async () => {
  const { result, ran } = await play([calls(call('save'), send())], (_id, run) => run.abort())
  expect(result).toMatchObject({
    stopReason: 'aborted',
    toolCalls: [{ status: 'ok' }, { status: 'not_run' }],
  })
  expect(ran).toEqual(['save {}'])
})

test('an abort after one of two approvals runs neither call', async () => {
  const { result, ran } = await play([calls(send('Ada'), send('Bob'))], (id, run) => {
    if (id === 'call_0_1') void run.decide('call_0_0', approve).then(() => run.abort())
  })
  expect(result.toolCalls.map(({ status }) => status)).toEqual(['not_run', 'not_run'])
  expect(ran).toEqual([])
})

test('validates a decision of the host, and fails the run with its state', async () => {
  const given =
    (decision: unknown): CreateHost =>
    (binding) => ({
      ...memoryHost(binding),
      waitFor: async <T>() => decision as T,
    })
  const { told } = await play([calls(send()), { text: 'Done.' }], () => {}, given(approve))
  expect(told).toEqual(['sent to Ada'])
  const failing = play([calls(send())], () => {}, given({ type: 'maybe' }))
  await expect(failing).rejects.toMatchObject({
    code: 'invalid_request',
    state: { pending: [{ name: 'send' }] },
  })
})
