import { afterEach, beforeEach, expect, test } from 'vitest'
import { replyForms } from '../features/reply-forms/reply-forms.js'
import { requestForms } from '../features/request-forms.js'
import { recoverCalls } from '../features/text-calls/recover-calls.js'
import { Agent, type ChatModelOptions, jsonSchema, tool } from '../index.js'
import type { ModelDelta, ModelRequest } from '../types/model.js'
import { leanChatModel } from './chat-model.js'

const whole = (message: object, more: object = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  choices: [
    { index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: 'stop', ...more },
  ],
})
const call = (args: string) => ({
  tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'delete_all', arguments: args } }],
})
const streamed = (text: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text }, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`
const written = '<tool_call>{"name": "delete_all", "arguments": {}}</tool_call>'

let answers: { readonly status?: number; readonly body: unknown }[] = []
let sent: Record<string, unknown>[] = []
let runs = 0
beforeEach(() => {
  ;[answers, sent, runs] = [[], [], 0]
})
afterEach(() => expect(answers).toEqual([]))

const server: ChatModelOptions = {
  apiKey: '',
  maxRetries: 0,
  baseURL: 'http://model.test/v1',
  fetch: async (_url, init) => {
    sent.push(JSON.parse(String(init?.body)))
    const { status = 200, body } = answers.shift() ?? expect.unreachable('one request too many')
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status })
  },
}
const deleteAll = tool({
  name: 'delete_all',
  description: 'Deletes all',
  parameters: jsonSchema({ type: 'object', properties: {} }),
  execute: () => {
    runs += 1
    return 'Deleted.'
  },
})
const run = (options: ChatModelOptions = {}) =>
  new Agent({ model: leanChatModel('m', { ...server, ...options }), tools: [deleteAll] }).run('Go.')

test('without features a documented body is read, and its call runs', async () => {
  answers = [
    { body: whole(call('{}'), { finish_reason: 'tool_calls' }) },
    { body: whole({ content: 'Done.' }) },
  ]
  expect(await run()).toMatchObject({ stopReason: 'done', text: 'Done.' })
  expect(runs).toBe(1)
})

test('without replyForms no stream is asked for: the whole text is one delta', async () => {
  answers = [{ body: whole({ content: 'Hello, world.' }) }]
  const deltas: ModelDelta[] = []
  const request: ModelRequest = {
    messages: [{ role: 'user', content: 'Hi.' }],
    tools: [],
    stream: true,
    signal: new AbortController().signal,
    idempotencyKey: 'key',
  }
  const { message } = await leanChatModel('m', server).complete(request, (delta) => deltas.push(delta))
  expect(message.content).toBe('Hello, world.')
  expect(deltas).toEqual([{ type: 'text', text: 'Hello, world.' }])
  expect(sent).toEqual([expect.not.objectContaining({ stream: true })])
})

test.each([
  ['a stream', streamed('Hi.')],
  ['an unusual body', { choices: [{ message: { content: 'Hi.', ...call('{}') } }] }],
  ['an unusual body', whole({ content: 'Hi.', reasoning: 'So.' })],
])('without replyForms %s is an error that names the import, and no call runs', async (what, body) => {
  answers = [{ body }]
  await expect(run()).rejects.toMatchObject({
    code: 'invalid_response',
    message: expect.stringContaining(`${what}. No tool ran. Add replyForms() from @capstan/core/lean`),
  })
  expect(runs).toBe(0)
})

test.each([
  ['at a limit', 'length'],
  ['by a filter', 'content_filter'],
])('without features a call that was cut %s does not run', async (_how, reason) => {
  answers = [{ body: whole(call('{}'), { finish_reason: reason }) }, { body: whole({ content: 'I stop.' }) }]
  expect(await run()).toMatchObject({ text: 'I stop.' })
  expect(runs).toBe(0)
})

test('with replyForms streams and other forms are read', async () => {
  answers = [
    { body: { choices: [{ message: { content: '', ...call('{}') } }] } },
    { body: streamed('Done.') },
  ]
  expect(await run({ features: [replyForms()] })).toMatchObject({ text: 'Done.' })
  expect(runs).toBe(1)
})

test('without textCalls a call in a text stays text, with it one runs', async () => {
  answers = [{ body: whole({ content: written }) }]
  expect(await run()).toMatchObject({ text: written })
  expect(runs).toBe(0)
  answers = [{ body: whole({ content: written }) }, { body: whole({ content: 'Done.' }) }]
  expect(await run({ features: [recoverCalls()], textCalls: 'run' })).toMatchObject({ text: 'Done.' })
  expect(runs).toBe(1)
})

test('an option whose feature is missing is an error that names the import', () => {
  const build = () => leanChatModel('m', { ...server, textCalls: 'run' })
  expect(build).toThrow('textCalls needs recoverCalls() from @capstan/core/lean in features.')
  const wrong = () => leanChatModel('m', { ...server, features: [replyForms as never] })
  expect(wrong).toThrow('Use functions such as replyForms().')
  const misspelt = () =>
    leanChatModel('m', { ...server, features: [recoverCalls()], textCalls: 'yes' as never })
  expect(misspelt).toThrow("Use 'report', 'run' or false.")
})

test('without requestForms a refusal of a form is an error, with it the form is learned', async () => {
  const refusal = {
    status: 400,
    body: { error: { message: 'Unknown parameter: tool_choice is not supported' } },
  }
  answers = [refusal]
  await expect(run()).rejects.toMatchObject({ status: 400, code: 'invalid_request' })
  answers = [refusal, { body: whole({ content: 'Done.' }) }]
  expect(await run({ features: [requestForms()] })).toMatchObject({ text: 'Done.' })
  expect(sent.map((body) => 'tool_choice' in body)).toEqual([true, true, false])
})
