import { expect, test } from 'vitest'
import type { Message, ToolCall } from '../types/message.js'
import { closeOpenCalls } from './input.js'

const many = 200_000
const calls = Array.from({ length: many }, (_, at): ToolCall => {
  return { id: `call_${at}`, type: 'function', function: { name: 'f', arguments: '{}' } }
})
const asked: Message = { role: 'assistant', content: null, tool_calls: calls }

test('a history of 200,000 open calls in one message is closed', () => {
  const closed = closeOpenCalls([asked, { role: 'user', content: 'Go on.' }])
  expect(closed).toHaveLength(many + 2)
})

test('200,000 calls of which one is answered are closed', () => {
  const closed = closeOpenCalls([asked, { role: 'tool', tool_call_id: 'call_0', content: 'x' }])
  expect(closed).toHaveLength(many + 1)
})
