import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { Agent, chatModel, jsonSchema, type RunState, tool } from '../../src/index.js'
import { memoryHost } from '../../src/run/memory-host.js'
import { type Journal, journalHost } from '../run-control/host-with.js'
import { type Line, startScriptedServer } from '../scripted-server.js'

const citations = ['https://example.com/a', 'https://example.com/b']
const search_results = [{ title: 'A', url: 'https://example.com/a', date: null }]
const token = (text: string) => ({ token: text, logprob: -0.5, bytes: [104], top_logprobs: [] })
const annotation = { type: 'url_citation', url_citation: { url: 'https://example.com/a', start_index: 0 } }

/** A whole reply with all that may come beside the text. */
const whole: Line = {
  status: 200,
  body: {
    object: 'chat.completion',
    citations,
    search_results,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hi.', annotations: [annotation] },
        logprobs: { content: [token('H'), token('i.')], refusal: null },
        finish_reason: 'stop',
      },
    ],
  },
}

function sendEvents(response: ServerResponse, chunks: readonly object[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const events = chunks.map(
    (chunk) => `data: ${JSON.stringify({ object: 'chat.completion.chunk', ...chunk })}\n\n`,
  )
  response.end(`${events.join('')}data: [DONE]\n\n`)
}

/** The same reply in pieces: the sources grow, and each piece has the probabilities of its own tokens. */
const pieces: Line = (_request, response) => {
  const choice = (delta: object, text?: string) => ({
    index: 0,
    delta,
    logprobs: text === undefined ? null : { content: [token(text)], refusal: null },
    finish_reason: null,
  })
  sendEvents(response, [
    { citations: citations.slice(0, 1), choices: [choice({ role: 'assistant', content: '' })] },
    { citations, choices: [choice({ content: 'H' }, 'H')] },
    { choices: [choice({ content: 'i.' }, 'i.')] },
    { citations: [], choices: [choice({ annotations: [annotation] })] },
    { search_results, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  ])
}

const extra = {
  citations,
  search_results,
  logprobs: { content: [token('H'), token('i.')] },
  annotations: [annotation],
}

test.each([
  ['in one piece', whole, false],
  ['streamed', pieces, true],
])('what comes with the last reply is on the result: %s', async (_how, line, isStreamed) => {
  await using server = await startScriptedServer([line, { text: 'Yes.' }])
  const agent = new Agent({ model: chatModel('m', server) })
  const result = await (isStreamed ? agent.stream('Hello').result : agent.run('Hello'))
  expect(result.text).toBe('Hi.')
  expect(result.extra).toEqual(extra)
  const next = await agent.run([...result.messages, { role: 'user', content: 'Sure?' }])
  expect(next).not.toHaveProperty('extra')
  expect(next.state).not.toHaveProperty('extra')
  const [, sent] = server.requests[1]?.body.messages ?? []
  expect(sent).toEqual({ role: 'assistant', content: 'Hi.', annotations: [annotation] })
})

test('a plain reply has none, and neither has one with empty lists', async () => {
  const choice = {
    index: 0,
    message: { role: 'assistant', content: 'Hi.', annotations: [] },
    logprobs: null,
    finish_reason: 'stop',
  }
  const empty = { status: 200, body: { object: 'chat.completion', citations: [], choices: [choice] } }
  await using server = await startScriptedServer([{ text: 'Hi.' }, empty])
  const agent = new Agent({ model: chatModel('m', server) })
  for (let n = 0; n < 2; n++) expect(await agent.run('Hello')).not.toHaveProperty('extra')
})

test('what comes with a reply outlasts the process', async () => {
  const call = { id: 'a', type: 'function', function: { name: 'pay', arguments: '{}' } }
  const message = { role: 'assistant', content: null, tool_calls: [call] }
  const line = {
    status: 200,
    body: {
      object: 'chat.completion',
      citations,
      choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
    },
  }
  await using server = await startScriptedServer([line, { text: 'Paid.' }])
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    parameters: jsonSchema({ type: 'object' }),
    needsApproval: true,
    execute: () => 'ok',
  })
  const agent = new Agent({ model: chatModel('m', server), tools: [pay] })
  const waiting = await agent.run('Pay.')
  expect(waiting.extra).toEqual({ citations })
  const state: RunState = JSON.parse(JSON.stringify(waiting.state))
  expect((await agent.run(state)).extra).toEqual({ citations })
  const paid = await agent.run(state, { decisions: { a: { type: 'approve' } } })
  expect([paid.text, paid.extra]).toEqual(['Paid.', undefined])
})

test('what comes with a reply is recorded with its step', async () => {
  await using server = await startScriptedServer([whole])
  const journal: Journal = new Map()
  const run = async () => {
    const agent = new Agent({ model: chatModel('m', server) })
    return (await agent.run('Hello', { runId: 'r', host: journalHost(journal, memoryHost) })).extra
  }
  expect([await run(), await run()]).toEqual([extra, extra])
  expect(server.requests).toHaveLength(1)
})

test('fields beyond the bounds of unknown fields are left out, and told', async () => {
  const long = 'x'.repeat(5 * 2 ** 20)
  const body = {
    object: 'chat.completion',
    citations: [long],
    search_results: [long],
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' } }],
  }
  await using server = await startScriptedServer([{ status: 200, body }])
  const omitted: unknown[] = []
  const agent = new Agent({
    model: chatModel('m', server),
    observe: (event) => event.type === 'message-added' && omitted.push(event.omitted),
  })
  const result = await agent.run('Hello')
  expect(Object.keys(result.extra ?? {})).toEqual(['citations'])
  expect(omitted).toEqual([['search_results']])
})

describe('a custom call', () => {
  const grep = tool({
    name: 'grep',
    description: 'Searches',
    parameters: jsonSchema({ type: 'object' }),
    execute: () => expect.unreachable(),
  })
  const custom = { name: 'grep', input: 'TODO in {src}' }
  const inOne: Line = {
    status: 200,
    body: {
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'custom', custom }] },
          finish_reason: 'tool_calls',
        },
      ],
    },
  }
  const inPieces: Line = (_request, response) => {
    const choice = (call: object) => ({
      index: 0,
      delta: { tool_calls: [{ index: 0, ...call }] },
      finish_reason: null,
    })
    sendEvents(response, [
      { choices: [choice({ id: 'a', type: 'custom', custom: { name: 'grep', input: '' } })] },
      { choices: [choice({ custom: { input: 'TODO in ' } })] },
      { choices: [choice({ custom: { input: '{src}' } })] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
    ])
  }

  test.each([
    ['in one piece', inOne, false],
    ['streamed', inPieces, true],
  ])('is rejected by its name, and goes back as a function call: %s', async (_how, line, isStreamed) => {
    await using server = await startScriptedServer([line, { text: 'Sorry.' }])
    const agent = new Agent({ model: chatModel('m', server), tools: [grep] })
    const { toolCalls } = await (isStreamed ? agent.stream('Find.').result : agent.run('Find.'))
    expect(toolCalls).toMatchObject([{ name: 'grep', status: 'rejected' }])
    const [, sent, result] = server.requests[1]?.body.messages ?? []
    expect(sent?.tool_calls).toEqual([
      { id: 'a', type: 'function', function: { name: 'grep', arguments: '{}' } },
    ])
    expect(result?.content).toContain(
      '"grep" was sent as a custom tool call and did not run. Only function tools can be called. Available tools: grep.',
    )
  })
})
