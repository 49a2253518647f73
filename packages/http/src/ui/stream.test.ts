import { Agent, type Decisions, type RunEvent, type RunOptions, type RunResult, tool } from '@capstan/core'
import { reply, type ScriptStep, scriptedModel } from '@capstan/testing'
import { uiMessageChunkSchema as schema6 } from 'ai6'
import { uiMessageChunkSchema as schema7 } from 'ai7'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { book, draw, weather } from '../../test/requests.js'
import { HttpError } from '../http-error.js'
import { clientState } from '../runs/record.js'
import { UiStream } from './stream.js'

const nothing = clientState(undefined)
const encoder = (before = nothing, decisions: Decisions = {}) =>
  new UiStream({ messageId: 'm', runId: 'r', before, decisions, artifactUrl: (id) => `/artifacts/${id}` })

const slow = tool({
  name: 'slow',
  description: 'Tells how far it is',
  parameters: z.object({}),
  execute: (_, { progress }) => {
    progress(0.5)
    return ['done']
  },
})

/** Returns a run's parts, after checking that both versions of the client accept each of them. */
async function bodyChunks(
  steps: readonly ScriptStep[],
  options: RunOptions = {},
): Promise<readonly object[]> {
  const model = scriptedModel(steps, { retries: 1 })
  const run = new Agent({ name: 'helper', model, tools: [weather, book, draw, slow] }).stream('Go.', options)
  const parts = encoder()
  const all = [...parts.first()]
  for await (const event of run) all.push(...parts.event(event))
  all.push(...parts.end(await run.result))
  await checked(all)
  return all
}

async function checked(parts: readonly object[]): Promise<void> {
  for (const schema of [schema6(), schema7()])
    for (const part of parts)
      expect(await schema.validate?.(JSON.parse(JSON.stringify(part))), JSON.stringify(part)).toMatchObject({
        success: true,
      })
}

const bare = (parts: readonly object[]) => parts.map((part) => (part as { type: string }).type)

test('text', async () => {
  expect(await bodyChunks([reply.text('Hi there.')])).toEqual([
    { type: 'start', messageId: 'm', messageMetadata: { runId: 'r' } },
    { type: 'start-step' },
    { type: 'text-start', id: 'text-0' },
    { type: 'text-delta', id: 'text-0', delta: 'Hi ' },
    { type: 'text-delta', id: 'text-0', delta: 'there.' },
    { type: 'text-end', id: 'text-0' },
    { type: 'finish-step' },
    {
      type: 'finish',
      finishReason: 'stop',
      messageMetadata: {
        stopReason: 'done',
        stepCount: 1,
        usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
      },
    },
  ])
})

test('calls with their arguments and results, and a file part for an artifact', async () => {
  const parts = await bodyChunks([
    reply.calls(reply.call('get_weather', { city: 'Oslo' }), reply.call('draw', { what: 'a fjord' })),
    reply.text('Done.'),
  ])
  const time = (toolCallId: string, toolName: string) => ({
    type: 'data-time',
    id: toolCallId,
    data: { toolCallId, toolName, ms: expect.any(Number) },
  })
  const delta = (toolCallId: string, inputTextDelta: string) => ({
    type: 'tool-input-delta',
    toolCallId,
    inputTextDelta,
  })
  expect(parts.slice(2, 16)).toEqual([
    { type: 'tool-input-start', toolCallId: 'call_1_1', toolName: 'get_weather' },
    delta('call_1_1', '{"city":'),
    delta('call_1_1', '"Oslo"}'),
    { type: 'tool-input-start', toolCallId: 'call_1_2', toolName: 'draw' },
    delta('call_1_2', '{"what":'),
    delta('call_1_2', '"a fjord'),
    delta('call_1_2', '"}'),
    {
      type: 'tool-input-available',
      toolCallId: 'call_1_1',
      toolName: 'get_weather',
      input: { city: 'Oslo' },
    },
    { type: 'tool-input-available', toolCallId: 'call_1_2', toolName: 'draw', input: { what: 'a fjord' } },
    { type: 'tool-output-available', toolCallId: 'call_1_1', output: { city: 'Oslo', degrees: 4 } },
    time('call_1_1', 'get_weather'),
    { type: 'tool-output-available', toolCallId: 'call_1_2', output: expect.anything() },
    time('call_1_2', 'draw'),
    { type: 'file', url: expect.stringMatching(/^\/artifacts\/img_/), mediaType: 'image/png' },
  ])
  expect(bare(parts).filter((type) => type === 'file')).toHaveLength(1)
})

test('progress carries its call id, so that the newest replaces the last', async () => {
  const parts = await bodyChunks([reply.call('slow'), reply.text('Done.')])
  expect(parts).toContainEqual({
    type: 'data-progress',
    id: 'call_1_1',
    data: { toolCallId: 'call_1_1', toolName: 'slow', value: 0.5 },
  })
})

test.each([
  reply.call('get_weather', { city: [] }),
  reply.call('get_weather', 'Oslo, please'),
  reply.call('unknown', {}),
])('reports a call that cannot run as failed: %j', async (wrong) => {
  const parts = await bodyChunks([wrong, reply.text('Sorry.')])
  expect(parts).toContainEqual({
    type: 'tool-output-error',
    toolCallId: 'call_1_1',
    errorText: expect.any(String),
  })
})

test('a call denied by a policy is not reported as denied by the user', async () => {
  const parts = encoder()
  const event: RunEvent = {
    type: 'tool-end',
    runId: 'r',
    seq: 0,
    step: 0,
    callId: 'c',
    name: 'book_room',
    status: 'denied',
    ms: 0,
    content: 'Not on Sundays.',
    artifacts: [],
  }
  expect(parts.event(event)).toEqual([
    { type: 'tool-output-error', toolCallId: 'c', errorText: 'Not on Sundays.' },
  ])
  const denied = encoder(nothing, { c: { type: 'deny', reason: 'no' } })
  expect(denied.event(event)).toEqual([{ type: 'tool-output-denied', toolCallId: 'c' }])
})

test('an approval request comes at the end, with its reason', async () => {
  const parts = await bodyChunks([reply.call('book_room', { city: 'Oslo' })], { runId: 'r' })
  expect(parts.slice(-4)).toEqual([
    {
      type: 'data-approval',
      id: 'r:call_1_1',
      data: { toolCallId: 'call_1_1', agent: 'helper', reason: '"book_room" needs approval.' },
    },
    { type: 'tool-approval-request', approvalId: 'r:call_1_1', toolCallId: 'call_1_1' },
    { type: 'finish-step' },
    expect.objectContaining({ type: 'finish', finishReason: 'tool-calls' }),
  ])
})

test('reports a limit when it is reached', async () => {
  const parts = await bodyChunks([reply.call('get_weather', { city: 'Oslo' }), reply.text('So far.')], {
    limits: { steps: 1 },
  })
  expect(parts).toContainEqual({ type: 'data-limit', data: { limit: 'steps' } })
  expect(parts.at(-1)).toMatchObject({
    finishReason: 'other',
    messageMetadata: { stopReason: 'limit', limit: 'steps' },
  })
})

test('text of a model that does not stream', async () => {
  const model = {
    name: 'm',
    complete: async () => ({ message: { role: 'assistant', content: 'Hi.' } as const }),
  }
  const run = new Agent({ model }).stream('Go.')
  const parts = encoder()
  const all: object[] = []
  for await (const event of run) all.push(...parts.event(event))
  expect(all).toContainEqual({ type: 'text-delta', id: 'text-0', delta: 'Hi.' })
})

test('text discarded by a retry is a part of its own', async () => {
  const parts = await bodyChunks([reply.fail('api', { after: 'Well, ' }), reply.text('It is.')])
  expect(bare(parts).slice(2, -2)).toEqual([
    'text-start',
    'text-delta',
    'text-end',
    'text-start',
    'text-delta',
    'text-delta',
    'text-end',
  ])
})

test('reasoning comes before text, in parts of its own', () => {
  const at = { runId: 'r', seq: 0, step: 0 }
  const parts = encoder()
  const told = [
    ...parts.event({ ...at, type: 'step-start' }),
    ...parts.event({ ...at, type: 'reasoning-delta', text: 'Hm.' }),
    ...parts.event({ ...at, type: 'text-delta', text: 'Yes.' }),
  ]
  expect(told).toEqual([
    { type: 'start-step' },
    { type: 'reasoning-start', id: 'reasoning-0' },
    { type: 'reasoning-delta', id: 'reasoning-0', delta: 'Hm.' },
    { type: 'reasoning-end', id: 'reasoning-0' },
    { type: 'text-start', id: 'text-1' },
    { type: 'text-delta', id: 'text-1', delta: 'Yes.' },
  ])
})

test('a refusal is sent as text, and an aborted run ends with abort', async () => {
  const result = await new Agent({ model: scriptedModel([reply.text('')]) })
    .run('Go.')
    .catch((error) => error)
  const ended = (changes: Partial<RunResult>) => {
    const base = {
      stepCount: 1,
      artifacts: [],
      usage: nothing.usage,
      state: { messages: [], runId: 'r' },
      ...result,
    }
    return encoder().end({ ...base, ...changes })
  }
  const refused = ended({ stopReason: 'refusal', refusal: 'I will not.' })
  expect(refused).toContainEqual({ type: 'text-delta', id: 'text-0', delta: 'I will not.' })
  expect(refused.at(-1)).toMatchObject({ finishReason: 'content-filter' })
  const aborted = ended({ stopReason: 'aborted' })
  expect(bare(aborted)).toEqual(['message-metadata', 'abort'])
  await checked([...refused, ...aborted])
})

test('a failure closes the open text part', () => {
  const parts = encoder()
  parts.event({ runId: 'r', seq: 0, step: 0, type: 'text-delta', text: 'Well' })
  expect(parts.failed(new HttpError(500, 'internal', 'The agent failed.'))).toEqual([
    { type: 'text-end', id: 'text-0' },
    { type: 'error', errorText: 'The agent failed.' },
  ])
})
