import { Agent, type RunOptions, type RunResult, tool } from '@capstan/core'
import { reply, type ScriptStep, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { book, draw, weather } from '../../test/requests.js'
import { HttpError } from '../http-error.js'
import { type ClientState, clientState } from '../runs/record.js'
import { AgUiStream } from './stream.js'

const nothing = clientState(undefined)
const head = { threadId: 't', runId: 'theirs', ownId: 'm', artifactUrl: (id: string) => `/artifacts/${id}` }
const encoder = (before: ClientState = nothing) => new AgUiStream({ ...head, before, decisions: {} })

const position = tool({ name: 'position', description: 'Where', parameters: z.object({}) })

async function eventsOf(steps: readonly ScriptStep[], options: RunOptions = {}): Promise<readonly object[]> {
  const tools = [weather, book, draw, position]
  const run = new Agent({ name: 'helper', model: scriptedModel(steps), tools }).stream('Go.', options)
  const events = encoder()
  const all = [...events.first()]
  for await (const event of run) all.push(...events.event(event))
  return [...all, ...events.end(await run.result)]
}

test('text', async () => {
  expect(await eventsOf([reply.text('Hi there.')])).toEqual([
    { type: 'RUN_STARTED', threadId: 't', runId: 'theirs', protocolVersion: '1.0' },
    { type: 'STEP_STARTED', stepName: 'step 1' },
    { type: 'TEXT_MESSAGE_START', messageId: 'm text 0', role: 'assistant' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm text 0', delta: 'Hi ' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm text 0', delta: 'there.' },
    { type: 'TEXT_MESSAGE_END', messageId: 'm text 0' },
    { type: 'STEP_FINISHED', stepName: 'step 1' },
    {
      type: 'RUN_FINISHED',
      threadId: 't',
      runId: 'theirs',
      outcome: { type: 'success' },
      result: { stopReason: 'done', stepCount: 1 },
      usage: [{ inputTokens: 10, outputTokens: 5, totalTokens: 15 }],
    },
  ])
})

test('calls of one reply belong to one message, each with its result and artifacts', async () => {
  const events = await eventsOf([
    reply.calls(reply.call('get_weather', { city: 'Oslo' }), reply.call('draw', { what: 'a fjord' })),
    reply.text('Done.'),
  ])
  expect(events.slice(2, 14)).toEqual([
    {
      type: 'TOOL_CALL_START',
      toolCallId: 'call_1_1',
      toolCallName: 'get_weather',
      parentMessageId: 'm step 1',
    },
    { type: 'TOOL_CALL_ARGS', toolCallId: 'call_1_1', delta: '{"city":' },
    { type: 'TOOL_CALL_ARGS', toolCallId: 'call_1_1', delta: '"Oslo"}' },
    { type: 'TOOL_CALL_START', toolCallId: 'call_1_2', toolCallName: 'draw', parentMessageId: 'm step 1' },
    { type: 'TOOL_CALL_ARGS', toolCallId: 'call_1_2', delta: '{"what":' },
    { type: 'TOOL_CALL_ARGS', toolCallId: 'call_1_2', delta: '"a fjord' },
    { type: 'TOOL_CALL_ARGS', toolCallId: 'call_1_2', delta: '"}' },
    { type: 'TOOL_CALL_END', toolCallId: 'call_1_1' },
    { type: 'TOOL_CALL_END', toolCallId: 'call_1_2' },
    {
      type: 'TOOL_CALL_RESULT',
      messageId: 'm result call_1_1',
      toolCallId: 'call_1_1',
      role: 'tool',
      content: '{"city":"Oslo","degrees":4}',
    },
    expect.objectContaining({
      type: 'TOOL_CALL_RESULT',
      messageId: 'm result call_1_2',
      toolCallId: 'call_1_2',
    }),
    {
      type: 'CUSTOM',
      name: 'artifact',
      value: expect.objectContaining({
        mediaType: 'image/png',
        url: expect.stringMatching(/^\/artifacts\//),
      }),
    },
  ])
})

test('an approval request is an interrupt, a call of a page tool a call without a result', async () => {
  const events = await eventsOf(
    [reply.calls(reply.call('book_room', { city: 'Oslo' }), reply.call('position'))],
    {
      runId: 'r',
    },
  )
  expect(events.at(-1)).toMatchObject({
    outcome: {
      type: 'interrupt',
      interrupts: [{ id: 'r:call_1_1', reason: 'tool_call', toolCallId: 'call_1_1' }],
    },
  })
  const alone = await eventsOf([reply.call('position')])
  expect(alone.at(-1)).toMatchObject({ outcome: { type: 'success', pendingToolCallIds: ['call_1_1'] } })
})

test('reasoning is a message of its own', () => {
  const at = { runId: 'r', seq: 0, step: 0 }
  const events = encoder()
  const told = [
    ...events.event({ ...at, type: 'reasoning-delta', text: 'Hm.' }),
    ...events.event({ ...at, type: 'text-delta', text: 'Yes.' }),
  ]
  expect(told).toEqual([
    { type: 'REASONING_START', messageId: 'm reasoning 0' },
    { type: 'REASONING_MESSAGE_START', messageId: 'm reasoning 0', role: 'reasoning' },
    { type: 'REASONING_MESSAGE_CONTENT', messageId: 'm reasoning 0', delta: 'Hm.' },
    { type: 'REASONING_MESSAGE_END', messageId: 'm reasoning 0' },
    { type: 'REASONING_END', messageId: 'm reasoning 0' },
    { type: 'TEXT_MESSAGE_START', messageId: 'm text 1', role: 'assistant' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm text 1', delta: 'Yes.' },
  ])
})

test('reports a limit and why the run ended', async () => {
  const steps = [reply.call('get_weather', { city: 'Oslo' }), reply.text('So far.')]
  const events = await eventsOf(steps, { limits: { steps: 1 } })
  expect(events).toContainEqual({ type: 'CUSTOM', name: 'limit', value: { limit: 'steps' } })
  expect(events.at(-1)).toMatchObject({ result: { stopReason: 'limit', limit: 'steps' } })
})

test('reports an aborted run as cancelled, and a failure by its code', () => {
  const result = {
    stopReason: 'aborted',
    stepCount: 1,
    artifacts: [],
    usage: nothing.usage,
    state: { messages: [], runId: 'r' },
  } as unknown as RunResult
  expect(encoder().end(result).at(-1)).toMatchObject({ outcome: { type: 'cancelled' } })
  expect(encoder().failed(new HttpError(502, 'network', 'The agent failed (network).'))).toEqual([
    { type: 'RUN_ERROR', code: 'network', message: 'The agent failed (network).' },
  ])
})
