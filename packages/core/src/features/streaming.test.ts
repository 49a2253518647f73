import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { cases } from '../../../../scripts/cases.mjs'
import { type Line, startScriptedServer } from '../../test/scripted-server.js'
import { Agent, chatModel, type RunEvent, tool } from '../index.js'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

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

/** A run whose tool reports its progress this many times, and how many of its events are still in memory. */
function counting(count: number, options: { keepEvents?: number; detach?: boolean } = {}) {
  const steps = tool({
    name: 'count',
    description: 'Counts',
    parameters: z.object({}),
    async *execute() {
      for (let step = 0; step < count; step++) yield step
      return 'counted'
    },
  })
  const refs: WeakRef<RunEvent>[] = []
  const model = scriptedModel([reply.call('count'), reply.text('Over.')])
  const run = new Agent({ model, tools: [steps] }).stream('Count.', {
    ...options,
    observe: (event) => void refs.push(new WeakRef(event)),
  })
  const inMemory = async () => {
    await new Promise(setImmediate)
    collectGarbage()
    return refs.filter((ref) => ref.deref()).length
  }
  return { run, inMemory }
}

test('with keepEvents any number of readers read at any position, also after the end', async () => {
  const { run } = counting(50, { keepEvents: 1000 })
  const early = collect(run.read({ after: 9 }))
  const whole = await collect(run)
  expect(whole.map(({ seq }) => seq)).toEqual(whole.map((_, index) => index))
  expect(await early).toEqual(whole.slice(10))
  expect(await collect(run.read({ after: -1 }))).toEqual(whole)
  expect(await collect(run.textStream)).toEqual(['Over.'])
})

test('events that are no longer kept are an error, for the reader that needs them alone', async () => {
  const { run, inMemory } = counting(1000, { keepEvents: 100 })
  const slow = run[Symbol.asyncIterator]()
  expect((await slow.next()).value).toMatchObject({ type: 'run-start' })
  await run.result
  await expect(slow.next()).rejects.toMatchObject({ code: 'not_found' })
  expect(() => run.read({ after: -1 })).toThrow('no longer kept. Raise keepEvents.')
  const kept = await collect(run)
  expect(kept.length).toBeGreaterThanOrEqual(100)
  expect(kept.length).toBeLessThanOrEqual(150)
  expect(kept.at(-1)?.type).toBe('run-end')
  expect(await inMemory()).toBeLessThan(200)
})

test('a signal ends one reading; the run is aborted when its last reader has left', async () => {
  const { run } = counting(1, { keepEvents: 100 })
  const leaving = new AbortController()
  const other = run.read()
  await other.next()
  const reading = collect(run.read({ signal: leaving.signal }))
  leaving.abort()
  await reading
  expect((await other.next()).done).toBe(false)
  await other.return?.()
  expect(await run.result).toMatchObject({ stopReason: 'aborted' })
})

test('a stopped reader of textStream keeps only text, and one that left nothing', async () => {
  const stopped = counting(cases(100_000, 20_000))
  const texts = stopped.run.textStream[Symbol.asyncIterator]()
  const first = texts.next()
  await stopped.run.result
  expect(await stopped.inMemory()).toBeLessThan(100)
  expect([(await first).value, (await texts.next()).done]).toEqual(['Over.', true])
  const left = counting(cases(100_000, 20_000), { detach: true })
  for await (const { type } of left.run) if (type === 'tool-progress') break
  await left.run.result
  expect(await left.inMemory()).toBeLessThan(100)
})

test.each([-1, '5', Number.NaN])('keepEvents: %s is an error', async (keepEvents) => {
  const run = new Agent({ model: scriptedModel([]) }).stream('Go.', { keepEvents: keepEvents as number })
  await expect(run.result).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('keepEvents'),
  })
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
  const run = new Agent({ model: chatModel('m', { ...server, maxRetries: 0 }) }).stream('Go.')
  await new Promise<void>((ended) => run.on('run-end', () => setImmediate(ended)))
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})
