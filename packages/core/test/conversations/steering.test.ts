import { expect, test } from 'vitest'
import * as z from 'zod'
import { Agent, type AnyTool, memorySessions, type Run, type RunEvent, tool } from '../../src/index.js'
import { expectSound } from '../run-control/soundness.js'
import { type Line, startStrictServer } from '../run-control/strict-server.js'

const look = tool({ name: 'look', description: 'Looks', parameters: z.object({}), execute: () => 'a gate' })
const open = tool({
  name: 'open',
  description: 'Opens',
  parameters: z.object({}),
  needsApproval: true,
  execute: () => 'open',
})

/** A run of these answers, begun with `Go.`; `at` is told of each event. */
async function steered(script: readonly Line[], at: (run: Run<unknown>, event: RunEvent) => void) {
  await using server = await startStrictServer(script)
  const agent = new Agent<readonly AnyTool[]>({ model: server.model, tools: [look, open] })
  const run = agent.stream('Go.', { wait: true })
  const events: RunEvent[] = []
  for await (const event of run) {
    events.push(event)
    at(run, event)
  }
  const result = await run.result
  expect(server.faults).toEqual([])
  expectSound(result)
  return { result, events, requests: server.requests.map(({ body }) => body.messages) }
}

const calls = { calls: [{ name: 'look' }] }
const said = (messages: readonly { role: string; content?: unknown }[] = []) =>
  messages.filter(({ role }) => role === 'user').map(({ content }) => content)

test('delivers messages sent during calls after their results, in order, before the next request', async () => {
  const { result, events, requests } = await steered([calls, { text: 'Both.' }], (run, { type }) => {
    if (type !== 'tool-start') return
    run.send('Look left.')
    run.send('Look right.')
  })
  expect(requests[1]?.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'user'])
  expect(said(requests[1])).toEqual(['Go.', 'Look left.', 'Look right.'])
  const types = events.map(({ type }) => type)
  const [first, last] = [types.indexOf('message-delivered'), types.lastIndexOf('message-delivered')]
  expect(first).toBeGreaterThan(types.indexOf('step-end'))
  expect(last).toBeLessThan(types.lastIndexOf('step-start'))
  expect(events.filter(({ type }) => type === 'message-delivered')).toMatchObject([
    { text: 'Look left.', step: 1 },
    { text: 'Look right.', step: 1 },
  ])
  expect(result).toMatchObject({ stopReason: 'done', text: 'Both.' })
  expect(result.undelivered).toBeUndefined()
  expect(result.messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'user',
    'user',
    'assistant',
  ])
})

test('includes messages sent before the start in the first request', async () => {
  await using server = await startStrictServer([{ text: 'Hello.' }])
  const run = new Agent({ model: server.model }).stream('Go.')
  run.send('Quickly.')
  await run.result
  expect(said(server.requests[0]?.body.messages)).toEqual(['Go.', 'Quickly.'])
})

test('delivers messages sent while the model writes calls after their results', async () => {
  const { requests } = await steered([calls, { text: 'Done.' }], (run, event) => {
    if (event.type === 'step-start' && event.step === 0) run.send('And then?')
  })
  expect(said(requests[0])).toEqual(['Go.'])
  expect(said(requests[1])).toEqual(['Go.', 'And then?'])
})

test('returns late messages in the result, without delay', async () => {
  const { result, requests } = await steered([{ text: 'All done.' }], (run, event) => {
    if (event.type === 'text-delta' && event.text.startsWith('All')) run.send('Wait!')
  })
  expect(requests).toHaveLength(1)
  expect(result).toMatchObject({ stopReason: 'done', undelivered: ['Wait!'] })
})

test('delivers messages sent while a call is pending after its decision', async () => {
  const { requests, result } = await steered(
    [{ calls: [{ name: 'open' }] }, { text: 'Open.' }],
    async (run, event) => {
      if (event.type !== 'call-pending') return
      run.send('Be quick.')
      await run.decide(event.callId, { type: 'approve' })
    },
  )
  expect(requests[1]?.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
  expect(said(result.messages)).toEqual(['Go.', 'Be quick.'])
})

test('a pending run returns undelivered messages', async () => {
  await using server = await startStrictServer([{ calls: [{ name: 'open' }] }])
  const run = new Agent({ model: server.model, tools: [open] }).stream('Go.')
  run.on('call-pending', () => run.send('Be quick.'))
  expect(await run.result).toMatchObject({ stopReason: 'pending', undelivered: ['Be quick.'] })
})

test('a run ended by a limit delivers nothing more', async () => {
  await using server = await startStrictServer([calls, { text: 'So far.' }])
  const agent = new Agent({ model: server.model, tools: [look], limits: { steps: 1 } })
  const run = agent.stream('Go.')
  run.on('tool-end', () => run.send('More!'))
  expect(await run.result).toMatchObject({ stopReason: 'limit', text: 'So far.', undelivered: ['More!'] })
})

test('an abort returns undelivered messages', async () => {
  const { result } = await steered(['never'], (run, event) => {
    if (event.type !== 'step-start') return
    run.send('Stop.')
    run.abort()
  })
  expect(result).toMatchObject({ stopReason: 'aborted', undelivered: ['Stop.'] })
})

test.each(['', ' \n'])('rejects an empty text: %j', async (text) => {
  await using server = await startStrictServer([{ text: 'Hello.' }])
  const run = new Agent({ model: server.model }).stream('Go.')
  expect(() => run.send(text)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
  expect((await run.result).undelivered).toBeUndefined()
})

test('stores sent messages in the session of the run', async () => {
  const session = { store: memorySessions(), id: 's' }
  await using server = await startStrictServer([calls, { text: 'Both.' }])
  const run = new Agent({ model: server.model, tools: [look] }).stream('Go.', { session })
  run.on('tool-start', () => run.send('Look left.'))
  await run.result
  expect(said((await session.store.load('s')).messages)).toEqual(['Go.', 'Look left.'])
})

test('keeps the last text from before a sent message', async () => {
  const script = [{ ...calls, text: 'I see a gate.' }, { text: 'Too late.' }]
  const { result } = await steered(script, (run, { type }) => {
    if (type === 'tool-start') run.send('Look left.')
    if (type === 'message-delivered') run.abort(new Error('Enough.'))
  })
  expect(result).toMatchObject({ stopReason: 'aborted', text: 'I see a gate.' })
})
