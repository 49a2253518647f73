import { expect, test } from 'vitest'
import { wireCall } from '../../test/chunks.js'
import type { Message } from '../words/message.js'
import { estimateTokens } from './estimate-tokens.js'

const answer = (content: string | null): Message => ({ role: 'assistant', content })

test('four characters are a token, and part of one counts whole', () => {
  const asked: Message[] = [
    { role: 'system', content: '12345678' },
    { role: 'user', content: '12345' },
  ]
  expect(estimateTokens(asked, answer('123'))).toEqual({ inputTokens: 4, outputTokens: 1, totalTokens: 5 })
})

test('calls count with their names and arguments, whoever made them', () => {
  const calling: Message = {
    role: 'assistant',
    content: '1234',
    tool_calls: [wireCall('a long id that is not counted', 'name', '{"a":1}'), wireCall('b', 'f', '')],
  }
  expect(estimateTokens([calling], calling)).toEqual({ inputTokens: 4, outputTokens: 4, totalTokens: 8 })
})

test('of parts the text counts, and nothing is nothing', () => {
  const parts = [{ type: 'text', text: '12345678' }, { type: 'image_url' }]
  expect(estimateTokens([{ role: 'user', content: parts }], answer(null))).toEqual({
    inputTokens: 2,
    outputTokens: 0,
    totalTokens: 2,
  })
  expect(estimateTokens([], answer('')).totalTokens).toBe(0)
})
