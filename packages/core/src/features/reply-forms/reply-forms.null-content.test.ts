import { expect, test } from 'vitest'
import { named } from '../../../test/call-context.js'
import { type Line, startScriptedServer } from '../../../test/scripted-server.js'
import { Agent, chatModel } from '../../index.js'

const f = named('f', () => 'done')
const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
const streamOf =
  (...deltas: readonly object[]): Line =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(
      [...deltas.map((delta) => chunk(delta)), chunk({}, 'tool_calls'), 'data: [DONE]\n\n'].join(''),
    )
  }
const messageOf = (message: object, further: object = {}) => ({
  status: 200,
  body: {
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: 'tool_calls', ...further }],
  },
})
const piece = { tool_calls: [{ index: 0, ...call }] }

/** The content of the assistant message as it is sent back. */
async function sentBack(reply: Line, stream: boolean): Promise<unknown> {
  await using server = await startScriptedServer([reply, { text: 'Done.' }])
  const agent = new Agent({ model: chatModel('m', server), tools: [f] })
  await (stream ? agent.stream('Go.').result : agent.run('Go.'))
  return server.requests[1]?.body.messages[1]
}

test.each([
  ['a documented completion', messageOf({ role: 'assistant', content: null, tool_calls: [call] }), false],
  ['another completion', messageOf({ content: null, tool_calls: [call] }, { logprobs: 1 }), false],
  ['a stream', streamOf({ role: 'assistant', content: null }, piece), true],
  ['a stream of one chunk', streamOf({ role: 'assistant', content: null, ...piece }), true],
  ['an unusual stream', streamOf({ role: 'assistant', content: null, extra: 1 }, piece), true],
])('content that was null beside calls is sent back as null: %s', async (_what, reply, stream) => {
  expect(await sentBack(reply, stream)).toMatchObject({ content: null, tool_calls: [{ id: 'a' }] })
})

test.each([
  ['', messageOf({ role: 'assistant', content: '', tool_calls: [call] }), false],
  ['', messageOf({ role: 'assistant', tool_calls: [call] }), false],
  ['', streamOf({ role: 'assistant', content: '' }, { content: null, ...piece }), true],
  ['Hm.', streamOf({ role: 'assistant', content: null }, { content: 'Hm.' }, piece), true],
])(
  'content that was text once, or was not given, is sent back as the text %j',
  async (text, reply, stream) => {
    expect(await sentBack(reply, stream)).toMatchObject({ content: text, tool_calls: [{ id: 'a' }] })
  },
)
