import { Agent, type ChatModel, chatModel } from '@capstan/core'
import { messagesModel } from '@capstan/core/messages'
import { responsesModel } from '@capstan/core/responses'
import { expect, test } from 'vitest'
import { deferred } from '../../src/search.js'
import { named } from './tools.js'

const wrapped = { name: 'send_mail', arguments: { to: 'Ann' } }

/** A protocol: a reply that calls `call_tool` beside its thoughts, a text, and the call as it must be sent back. */
interface Protocol {
  model(options: { readonly fetch: typeof fetch }): ChatModel
  readonly replies: readonly object[]
  readonly sentBack: object
}

const server = { baseURL: 'http://localhost:1/v1', apiKey: 'k' }
const call = {
  id: 'call_1',
  type: 'function',
  function: { name: 'call_tool', arguments: JSON.stringify(wrapped) },
  extra_content: { google: { thought_signature: 'c2lnbmF0dXJl' } },
}
const protocols: Readonly<Record<string, Protocol>> = {
  chat: {
    model: (options) => chatModel('m', { ...server, ...options }),
    replies: [
      {
        choices: [
          { finish_reason: 'tool_calls', message: { role: 'assistant', content: null, tool_calls: [call] } },
        ],
      },
      { choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: 'Done.' } }] },
    ],
    sentBack: {
      messages: expect.arrayContaining([
        expect.objectContaining({
          tool_calls: [{ ...call, function: { name: 'send_mail', arguments: '{"to":"Ann"}' } }],
        }),
        expect.objectContaining({ role: 'tool', tool_call_id: 'call_1', content: 'send_mail' }),
      ]),
    },
  },
  responses: {
    model: (options) => responsesModel('m', { ...server, ...options }),
    replies: [
      {
        id: 'r1',
        object: 'response',
        status: 'completed',
        output: [
          { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'secret' },
          {
            type: 'function_call',
            id: 'fc_1',
            call_id: 'call_1',
            name: 'call_tool',
            arguments: JSON.stringify(wrapped),
          },
        ],
      },
      {
        id: 'r2',
        object: 'response',
        status: 'completed',
        output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] }],
      },
    ],
    sentBack: {
      input: expect.arrayContaining([
        expect.objectContaining({ type: 'reasoning', encrypted_content: 'secret' }),
        expect.objectContaining({
          type: 'function_call',
          call_id: 'call_1',
          name: 'send_mail',
          arguments: '{"to":"Ann"}',
        }),
        expect.objectContaining({ type: 'function_call_output', call_id: 'call_1', output: 'send_mail' }),
      ]),
    },
  },
  messages: {
    model: (options) => messagesModel('m', { ...server, ...options }),
    replies: [
      {
        type: 'message',
        role: 'assistant',
        stop_reason: 'tool_use',
        content: [
          { type: 'thinking', thinking: 'A mail.', signature: 'c2ln' },
          { type: 'tool_use', id: 'call_1', name: 'call_tool', input: wrapped },
        ],
      },
      {
        type: 'message',
        role: 'assistant',
        stop_reason: 'end_turn',
        content: [{ type: 'text', text: 'Done.' }],
      },
    ],
    sentBack: {
      messages: expect.arrayContaining([
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'A mail.', signature: 'c2ln' },
            { type: 'tool_use', id: 'call_1', name: 'send_mail', input: { to: 'Ann' } },
          ],
        },
        expect.objectContaining({
          role: 'user',
          content: [
            expect.objectContaining({ type: 'tool_result', tool_use_id: 'call_1', content: 'send_mail' }),
          ],
        }),
      ]),
    },
  },
}

test.each(Object.entries(protocols))(
  'a call through call_tool is sent back as the call that ran, with its thoughts: %s',
  async (_name, { model, replies, sentBack }) => {
    const sent: unknown[] = []
    const answer: typeof fetch = async (_url, init) => {
      sent.push(await new Response(init?.body).json())
      return Response.json(replies[sent.length - 1] ?? {})
    }
    const tools = [named('listed'), deferred([named('send_mail'), named('other')], { by: 'call' })]
    const { text, toolCalls } = await new Agent({ model: model({ fetch: answer }), tools }).run('Go.')
    expect(text).toBe('Done.')
    expect(toolCalls).toMatchObject([{ name: 'send_mail', arguments: { to: 'Ann' }, status: 'ok' }])
    expect(sent).toHaveLength(2)
    expect(sent[1]).toMatchObject(sentBack)
    expect(JSON.stringify(sent[1])).not.toContain('"name":"call_tool","arguments"')
  },
)
