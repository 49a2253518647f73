import type { ServerResponse } from 'node:http'
import { fakeClock } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { Agent, chatModel, memorySessions, type RunEvent, tool, without } from '../../src/index.js'
import { type Line, startScriptedServer } from '../scripted-server.js'

const look = tool({
  name: 'look',
  description: 'Looks',
  parameters: z.object({ at: z.string() }),
  execute: () => 'a gate',
})

const chunk = (delta: object) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`
const callDelta = (text: string, id?: string) =>
  chunk({
    tool_calls: [
      { index: 0, ...(id ? { id, type: 'function' } : {}), function: { name: 'look', arguments: text } },
    ],
  })

/** Reasoning, text in several pieces of which two come at one time, and the beginning of a call. */
const begun = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ reasoning_content: 'Hm. ' }),
  chunk({ content: ' ' }),
  chunk({ content: 'The ga' }) + chunk({ content: 'te 🚪' }),
  chunk({ content: ' is' }),
  callDelta('{"at":"the ', 'c1'),
  chunk({ content: ' open' }),
  callDelta('gate'),
]

/** Streams these chunks and never ends. */
const endless =
  (chunks: readonly string[] = begun): Line =>
  (_request, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const one of chunks) response.write(one)
  }

const isStreamed = ({ type }: RunEvent) => /^(text|reasoning|call)-delta$/.test(type)
const textOf = (events: readonly RunEvent[]) =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')

/** What was told of a run that is aborted at its `n`th streamed event, and what came of it. */
async function abortedAt(n: number) {
  await using server = await startScriptedServer([endless()])
  const store = memorySessions()
  const agent = new Agent({ model: chatModel('m', { ...server, maxRetries: 0 }), tools: [look] })
  const run = agent.stream('Go.', { session: { store, id: 'ada' } })
  const events: RunEvent[] = []
  let streamed = 0
  for (const type of ['text-delta', 'reasoning-delta', 'call-delta', 'message-added'] as const)
    run.on(type, (event) => {
      events.push(event)
      if (isStreamed(event) && ++streamed === n) run.abort()
    })
  const result = await run.result
  return { result, events, session: await store.load('ada') }
}

test('an abort at any event keeps exactly the streamed text', async () => {
  const seen: string[] = []
  // White space in front comes with the text behind it.
  for (let n = 1; n <= 7; n++) {
    const { result, events, session } = await abortedAt(n)
    expect(events.filter(isStreamed)).toHaveLength(n)
    const said = textOf(events)
    seen.push(said)
    const user = { role: 'user', content: 'Go.' }
    const kept = said.trim() === '' ? [] : [{ role: 'assistant', content: said, incomplete: true }]
    expect(result.stopReason).toBe('aborted')
    expect(result.state.messages).toEqual([user, ...kept])
    expect(session.messages).toEqual(result.state.messages)
    expect(result.text).toBe(kept.length > 0 ? said : '')
    expect(result.incomplete).toBe(kept.length > 0 ? true : undefined)
    expect(events.filter(({ type }) => type === 'message-added')).toHaveLength(kept.length)
  }
  expect(seen.at(-1)).toBe(' The gate 🚪 is open')
  expect(new Set(seen).size).toBe(5)
})

test('a run after an abort sends the kept text without extra fields', async () => {
  await using server = await startScriptedServer([endless(), { text: 'It is open.' }, { text: 'Bye.' }])
  const agent = new Agent({ model: chatModel('m', server), tools: [look] })
  const run = agent.stream('Go.')
  let said = ''
  for await (const text of run.textStream) {
    said += text
    if (said.endsWith('open')) run.abort()
  }
  const { state, messages } = await run.result
  const resumed = await agent.run(JSON.parse(JSON.stringify(state)))
  expect(resumed).toMatchObject({ stopReason: 'done', text: 'It is open.' })
  expect(resumed).not.toHaveProperty('incomplete')
  await agent.run([...messages, { role: 'user', content: 'And?' }])
  const before = [
    { role: 'user', content: 'Go.' },
    { role: 'assistant', content: ' The gate 🚪 is open' },
  ]
  expect(server.requests[1]?.body.messages).toEqual([...before, { role: 'user', content: 'Continue.' }])
  expect(server.requests[2]?.body.messages).toEqual([...before, { role: 'user', content: 'And?' }])
})

test('an abort of the second reply keeps the first step and its own text', async () => {
  await using server = await startScriptedServer([
    { calls: [{ name: 'look', id: 'c0', arguments: { at: 'x' } }], text: 'One.' },
    endless(),
  ])
  const agent = new Agent({ model: chatModel('m', server), tools: [look] })
  const run = agent.stream('Go.')
  run.on('text-delta', ({ text }) => {
    if (text === ' open') run.abort()
  })
  const { messages, toolCalls, text } = await run.result
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  expect(messages.at(-1)).toEqual({ role: 'assistant', content: ' The gate 🚪 is open', incomplete: true })
  expect(toolCalls).toMatchObject([{ name: 'look', status: 'ok' }])
  expect(text).toBe(' The gate 🚪 is open')
})

test('drops text that a retry replaced', async () => {
  const broken: Line = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(chunk({ content: 'Void' }), () => response.destroy())
  }
  await using server = await startScriptedServer([broken, endless([chunk({ content: 'New' })])])
  const agent = new Agent({ model: chatModel('m', server) })
  const run = agent.stream('Go.')
  run.on('text-delta', ({ text }) => {
    if (text === 'New') run.abort()
  })
  const { messages } = await run.result
  expect(messages.at(-1)).toEqual({ role: 'assistant', content: 'New', incomplete: true })
})

test('an abort during a retry wait keeps nothing of the failed reply', async () => {
  const broken: Line = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(chunk({ content: 'Void' }), () => response.destroy())
  }
  await using server = await startScriptedServer([broken])
  const run = new Agent({ model: chatModel('m', server) }).stream('Go.')
  run.on('retry-scheduled', () => run.abort())
  const { messages, stopReason } = await run.result
  expect([stopReason, messages]).toEqual(['aborted', [{ role: 'user', content: 'Go.' }]])
})

test('keeps the text of a reply that a time limit cut off, without a final answer', async () => {
  await using server = await startScriptedServer([endless()])
  const clock = fakeClock()
  const agent = new Agent({
    model: chatModel('m', server),
    tools: [look],
    middleware: [without('final-answer')],
    limits: { seconds: 60 },
  })
  const run = agent.stream('Go.', { host: clock.host })
  run.on('text-delta', ({ text }) => {
    if (text === ' open') clock.advance(60_000)
  })
  const result = await run.result
  expect(result).toMatchObject({
    stopReason: 'limit',
    limit: 'seconds',
    text: ' The gate 🚪 is open',
    incomplete: true,
    messages: [{ role: 'user' }, { role: 'assistant', content: ' The gate 🚪 is open', incomplete: true }],
  })
})

test('a final answer replaces text that a time limit cut off', async () => {
  await using server = await startScriptedServer([endless(), { text: 'It is open.' }])
  const clock = fakeClock()
  const agent = new Agent({ model: chatModel('m', server), tools: [look], limits: { seconds: 60 } })
  const run = agent.stream('Go.', { host: clock.host })
  run.on('text-delta', ({ text }) => {
    if (text === ' open') clock.advance(48_000)
  })
  const { text, messages, incomplete } = await run.result
  expect([text, incomplete]).toEqual(['It is open.', undefined])
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
})

test('keeps well-formed text when the abort comes inside a character', async () => {
  const [high = ''] = '🚪'.split('')
  await using server = await startScriptedServer([endless([chunk({ content: `The gate ${high}` })])])
  const agent = new Agent({ model: chatModel('m', { ...server, maxRetries: 0 }) })
  const run = agent.stream('Go.')
  run.on('text-delta', () => run.abort())
  const { state, text } = await run.result
  expect(text).toBe('The gate \ufffd')
  expect(state.messages.at(-1)).toEqual({ role: 'assistant', content: text, incomplete: true })
})
