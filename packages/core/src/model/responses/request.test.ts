import { expect, test } from 'vitest'
import { fromUtf8 } from '../../bytes.js'
import type { Message } from '../../types/message.js'
import type { ModelRequest } from '../../types/model.js'
import { toResponsesBody } from './request.js'

const bodyOf = (given: Partial<ModelRequest>, form = {}) =>
  JSON.parse(
    fromUtf8(
      toResponsesBody(
        'm',
        {
          ...{ messages: [{ role: 'user', content: 'Hi.' }], tools: [], stream: false },
          ...{ signal: new AbortController().signal, idempotencyKey: 'k' },
          ...given,
        },
        form,
      ),
    ),
  )

const f = {
  type: 'function' as const,
  function: { name: 'f', description: 'F', parameters: { type: 'object' } },
}

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ['max_tokens', { max_tokens: 9 }, { max_output_tokens: 9 }],
  ['max_completion_tokens', { max_completion_tokens: 9 }, { max_output_tokens: 9 }],
  ['reasoning_effort', { reasoning_effort: 'low' }, { reasoning: { effort: 'low' } }],
  [
    'reasoning, and its effort',
    { reasoning_effort: 'low', reasoning: { summary: 'auto' } },
    { reasoning: { effort: 'low', summary: 'auto' } },
  ],
  ['verbosity', { verbosity: 'low' }, { text: { verbosity: 'low' } }],
  ['JSON', { response_format: { type: 'json_object' } }, { text: { format: { type: 'json_object' } } }],
  ['temperature and top_p', { temperature: 0, top_p: 0.5 }, { temperature: 0, top_p: 0.5 }],
  ['other fields', { truncation: 'auto', store: true }, { truncation: 'auto', store: true }],
  [
    'further includes',
    { include: ['web_search_call.action.sources'] },
    { include: ['reasoning.encrypted_content', 'web_search_call.action.sources'] },
  ],
])('settings by the names of this interface: %s', (_name, settings, sent) => {
  expect(bodyOf({ settings })).toEqual({
    ...{ model: 'm', input: [{ role: 'user', content: 'Hi.' }] },
    ...{ store: false, include: ['reasoning.encrypted_content'] },
    ...sent,
  })
})

test.each(['stop', 'seed', 'previous_response_id', 'conversation', 'background'])(
  'a setting without a field, or by which the server keeps the conversation, is an error: %s',
  (name) => {
    const error = { code: 'unsupported', message: expect.stringContaining(`settings.${name}`) }
    expect(() => bodyOf({ settings: { [name]: 'x' } })).toThrow(expect.objectContaining(error))
  },
)

test.each<[string, ModelRequest['toolChoice'], unknown]>([
  ['nothing', undefined, 'auto'],
  ['required', 'required', 'required'],
  ['none', 'none', 'none'],
  ['a tool', { type: 'function', function: { name: 'f' } }, { type: 'function', name: 'f' }],
])('the choice of a tool: %s', (_name, toolChoice, sent) => {
  const body = bodyOf({ tools: [f], ...(toolChoice ? { toolChoice } : {}) })
  expect(body.tool_choice).toEqual(sent)
  expect(body.tools).toEqual([{ type: 'function', ...f.function, strict: false }])
  expect(bodyOf(toolChoice ? { toolChoice } : {})).not.toHaveProperty('tool_choice')
})

test('hosted tools stand in front of the others, as they are', () => {
  const hostedTools = [{ type: 'web_search', search_context_size: 'low' }]
  expect(bodyOf({ tools: [f], hostedTools }).tools).toMatchObject([hostedTools[0], { name: 'f' }])
  expect(bodyOf({ hostedTools })).toMatchObject({ tools: hostedTools, tool_choice: 'auto' })
})

test('pictures, files and sounds of the user are parts of this interface', () => {
  const content = [
    { type: 'text', text: 'What is it?' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
    { type: 'image_url', image_url: { url: 'https://a.test/b.png' } },
    { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
  ]
  expect(bodyOf({ messages: [{ role: 'user', content }] }).input).toEqual([
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'What is it?' },
        { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' },
        { type: 'input_image', image_url: 'https://a.test/b.png', detail: 'auto' },
        { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' },
        { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      ],
    },
  ])
})

const call = (id: string) => ({
  id,
  type: 'function' as const,
  function: { name: 'f', arguments: '{}' },
})

test('a text that was changed since is not sent as it was', () => {
  const response_items = [
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'The code ' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'is 1234.' }] },
  ]
  const reply = (content: string): Message => ({ role: 'assistant', content, response_items, server: 's' })
  const inputOf = (content: string) => bodyOf({ messages: [reply(content)] }, { server: 's' }).input
  expect(inputOf('The code is 1234.')).toEqual(response_items)
  expect(inputOf('The code is [hidden].')).toEqual([{ role: 'assistant', content: 'The code is [hidden].' }])
})

test('calls of the message are in the places of its items, and of others without items', () => {
  const response_items = [
    { type: 'reasoning', encrypted_content: 'x' },
    { type: 'function_call', id: 'fc_1' },
  ]
  const reply = (ids: string[]): Message => ({
    ...{ role: 'assistant', content: '', tool_calls: ids.map(call), response_items, server: 's' },
  })
  const inputOf = (ids: string[], server: string) => bodyOf({ messages: [reply(ids)] }, { server }).input
  const sent = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' }
  expect(inputOf(['a'], 's')).toEqual([response_items[0], { id: 'fc_1', ...sent }])
  expect(inputOf(['a'], 'other')).toEqual([sent])
  expect(inputOf(['a', 'b'], 's')).toEqual([sent, { ...sent, call_id: 'b' }])
})

test('a lone system message is an item: servers reject an empty input', () => {
  expect(bodyOf({ messages: [{ role: 'system', content: 'Be brief.' }] })).toMatchObject({
    input: [{ role: 'system', content: 'Be brief.' }],
  })
})
