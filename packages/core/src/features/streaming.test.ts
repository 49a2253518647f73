import { expect, test } from 'vitest'
import * as z from 'zod'
import { type Line, startScriptedServer } from '../../test/scripted-server.js'
import { Agent, chatModel, type RunEvent, tool } from '../index.js'

const add = tool({
  name: 'add',
  description: 'Adds',
  parameters: z.object({ a: z.number(), b: z.number() }),
  async *execute({ a, b }) {
    yield 'adding'
    return a + b
  },
})

const script: Line[] = [{ calls: [{ name: 'add', arguments: { a: 1, b: 2 } }] }, { text: 'It is three.' }]

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

test('the events of a run come in this order', async () => {
  await using server = await startScriptedServer(script)
  const events = await collect(new Agent({ model: chatModel('m', server), tools: [add] }).stream('1 + 2?'))
  const types = events.map(({ type }) => type).filter((type, i, all) => type !== all[i - 1])
  expect(types).toEqual([
    'run-start',
    ...['step-start', 'call-delta', 'message-added', 'call-ready', 'tool-start', 'tool-progress', 'tool-end'],
    ...['message-added', 'step-end', 'step-start', 'text-delta', 'message-added', 'step-end'],
    'run-end',
  ])
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index))
  expect(new Set(events.map(({ runId }) => runId)).size).toBe(1)
})

test('a streamed run and a plain one give the same result', async () => {
  await using one = await startScriptedServer(script)
  await using other = await startScriptedServer(script)
  const options = { runId: 'same' }
  const plain = await new Agent({ model: chatModel('m', one), tools: [add] }).run('1 + 2?', options)
  const streamed = await new Agent({ model: chatModel('m', other), tools: [add] }).stream('1 + 2?', options)
    .result
  expect(JSON.parse(JSON.stringify(streamed.messages))).toEqual(
    JSON.parse(JSON.stringify(plain.messages).replace('"content":null', '"content":""')),
  )
  expect(streamed).toMatchObject({ text: 'It is three.', stopReason: 'done', usage: plain.usage })
})

test('textStream gives the words alone', async () => {
  await using server = await startScriptedServer(script)
  const run = new Agent({ model: chatModel('m', server), tools: [add] }).stream('1 + 2?')
  expect(await collect(run.textStream)).toEqual(['It ', 'is ', 'three.'])
})

test('fragments of a call come as call-delta, and the whole once as call-ready', async () => {
  await using server = await startScriptedServer(script)
  const run = new Agent({ model: chatModel('m', server), tools: [add] }).stream('1 + 2?')
  const fragments: string[] = []
  const whole: string[] = []
  run
    .on('call-delta', (event) => fragments.push(event.arguments))
    .on('call-ready', (event) => whole.push(event.arguments))
  await run.result
  expect(fragments.join('')).toBe('{"a":1,"b":2}')
  expect(fragments.length).toBeGreaterThan(3)
  expect(whole).toEqual(['{"a":1,"b":2}'])
})

test('events are kept from the start until a reader comes', async () => {
  await using server = await startScriptedServer(script)
  const run = new Agent({ model: chatModel('m', server), tools: [add] }).stream('1 + 2?')
  await run.result
  const events = await collect(run)
  expect(events[0]?.type).toBe('run-start')
  expect(events.at(-1)?.type).toBe('run-end')
  await expect(collect(run)).rejects.toThrow('already has a reader')
})

test('leaving the iteration aborts the run', async () => {
  await using server = await startScriptedServer(script)
  const run = new Agent({ model: chatModel('m', server), tools: [add] }).stream('1 + 2?')
  for await (const event of run) if (event.type === 'tool-end') break
  expect(await run.result).toMatchObject({ stopReason: 'aborted' })
  expect(server.requests.length).toBeLessThanOrEqual(2)
})

test('leaving the iteration of a detached run lets it end by itself', async () => {
  await using server = await startScriptedServer(script)
  const run = new Agent({ model: chatModel('m', server), tools: [add] }).stream('1 + 2?', { detach: true })
  for await (const event of run) if (event.type === 'run-start') break
  expect(await run.result).toMatchObject({ stopReason: 'done', text: 'It is three.' })
})

test('abort ends the run as aborted, with a reason that tools can see', async () => {
  await using server = await startScriptedServer([() => {}])
  const run = new Agent({ model: chatModel('m', server) }).stream('Go.')
  run.on('step-start', () => run.abort('enough'))
  expect(await run.result).toMatchObject({ stopReason: 'aborted' })
})

test('what a run throws comes out of its iteration and its result, and is no unhandled rejection', async () => {
  await using server = await startScriptedServer([{ status: 401, body: { error: { message: 'wrong key' } } }])
  const agent = new Agent({ model: chatModel('m', server) })
  const run = agent.stream('Go.')
  const seen: RunEvent[] = []
  const reading = (async () => {
    for await (const event of run) seen.push(event)
  })()
  await expect(reading).rejects.toMatchObject({ code: 'auth' })
  await expect(run.result).rejects.toMatchObject({ code: 'auth', status: 401 })
  expect(seen.at(-1)).toMatchObject({ type: 'run-end', stopReason: 'error' })
})

test('a run whose result nobody takes leaves no unhandled rejection', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', note)
  await using server = await startScriptedServer([{ status: 500, body: {} }])
  const run = new Agent({ model: chatModel('m', server) }).stream('Go.')
  await new Promise<void>((ended) => run.on('run-end', () => setImmediate(ended)))
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})
