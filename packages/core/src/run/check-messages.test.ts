import { expect, test } from 'vitest'
import { wireCall } from '../../test/chunks.js'
import { checkMessages } from './input.js'

const user = { role: 'user', content: 'Hello' }
const parts = [{ type: 'text', text: 'Hello' }, { type: 'image_url' }]

test.each([
  user,
  { role: 'user', content: '' },
  { role: 'user', content: parts },
  { role: 'user', content: [] },
  { role: 'system', content: 'Be brief.' },
  { role: 'developer', content: 'In English.' },
  { role: 'assistant', content: null },
  { role: 'assistant' },
  { role: 'assistant', content: parts, refusal: null, further: 1 },
  { role: 'assistant', content: null, tool_calls: [] },
  { role: 'assistant', content: '', tool_calls: [wireCall('a', '', 'no JSON')] },
  { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: '' } }] },
  { role: 'tool', tool_call_id: '', content: 'done' },
])('%j is a message', (message) => {
  checkMessages([user, message])
})

const calls = '.tool_calls[1] must be { id, type: "function", function: { name, arguments } }'
const withCall = (call: unknown) => ({ role: 'assistant', tool_calls: [wireCall('a', 'f', '{}'), call] })

test.each<[unknown, string]>([
  [undefined, ' is not a message: { role, content }.'],
  [null, ' is not a message: { role, content }.'],
  ['Hello', ' is not a message: { role, content }.'],
  [[], ' is not a message: { role, content }.'],
  [{ content: 'Hello' }, '.role is undefined. Roles: system, developer, user, assistant, tool.'],
  [{ role: 'constructor', content: '' }, '.role is "constructor".'],
  [{ role: 'function', content: '' }, '.role is "function".'],
  [{ role: ['user'], content: 'Hello' }, '.role is ["user"].'],
  [{ role: ['system'], content: 'Hello' }, '.role is ["system"].'],
  [{ role: 'user', content: 3 }, '.content must be text or an array of parts'],
  [{ role: 'user' }, '.content must be text or an array of parts in a "user" message.'],
  [{ role: 'user', content: null }, '.content must be'],
  [{ role: 'user', content: 3 }, '.content must be'],
  [{ role: 'user', content: [{ text: 'no type' }] }, '.content must be'],
  [{ role: 'user', content: [parts[0], null] }, '.content must be'],
  [{ role: 'system', content: parts }, '.content must be text in a "system" message.'],
  [{ role: 'developer', content: parts }, '.content must be text in a "developer" message.'],
  [{ role: 'assistant', content: {} }, '.content must be text or an array of parts or null'],
  [{ role: 'tool', content: null, tool_call_id: 'a' }, '.content must be text'],
  [{ role: 'tool', content: '' }, '.tool_call_id must be the id of a call.'],
  [{ role: 'tool', content: '', tool_call_id: 3 }, '.tool_call_id must be'],
  [{ role: 'assistant', tool_calls: {} }, '.tool_calls must be an array.'],
  [{ role: 'assistant', tool_calls: null }, '.tool_calls must be an array.'],
  [withCall(null), calls],
  [withCall({ function: { name: 'f', arguments: '' } }), calls],
  [withCall({ id: '', function: { name: 'f', arguments: '' } }), calls],
  [withCall({ id: 'b' }), calls],
  [withCall({ id: 'b', function: { arguments: '' } }), calls],
  [withCall({ id: 'b', function: { name: 'f' } }), calls],
  [withCall({ id: 'b', function: { name: 'f', arguments: {} } }), calls],
])('rejects %j with its position', (message, said) => {
  expect(() => checkMessages([user, message])).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      message: expect.stringContaining(`messages[1]${said}`),
      evidence: { position: 1 },
    }),
  )
})

test.each([[[]], [undefined], ['Hello'], [{}]])('%j is not a conversation', (messages) => {
  expect(() => checkMessages(messages)).toThrow(
    expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining('Empty input') }),
  )
})
