import { expect, test } from 'vitest'
import { wireCall } from '../../test/chunks.js'
import type { Message } from '../types/message.js'
import { estimateMessages, estimateTokenCount, estimateTokens } from './estimate.js'

const user = (content: Extract<Message, { role: 'user' }>['content']): Message => ({ role: 'user', content })
const calling = (...calls: Parameters<typeof wireCall>[]): Message => ({
  role: 'assistant',
  content: null,
  tool_calls: calls.map((call) => wireCall(...call)),
})
const sizeOf = (message: Message) => estimateMessages([message])
const words = 'The quick brown fox jumps over the lazy dog. '

test('what was asked is input, the answer output, and both together the total', () => {
  const [asked, answer] = [[user(words), user(words.repeat(3))], user(words.repeat(2))]
  expect(estimateTokens(asked, answer)).toEqual({
    inputTokens: estimateMessages(asked),
    outputTokens: estimateMessages([answer]),
    totalTokens: estimateMessages([...asked, answer]),
  })
})

test('a text takes about a token for each word, and a message some on top', () => {
  expect(sizeOf(user(''))).toBe(4)
  expect(sizeOf(user(words.repeat(100)))).toBeGreaterThan(800)
  expect(sizeOf(user(words.repeat(100)))).toBeLessThan(1500)
  expect(estimateMessages([])).toBe(0)
})

test('calls count with their names and arguments, not with their ids', () => {
  const plain = sizeOf(calling(['a', 'f', '{}']))
  expect(sizeOf(calling([words, 'f', '{}']))).toBe(plain)
  expect(sizeOf(calling(['a', 'f', JSON.stringify({ words })]))).toBeGreaterThan(plain + 8)
  expect(sizeOf(calling(['a', 'a_long_name_of_several_words', '{}']))).toBeGreaterThan(plain)
  expect(sizeOf(calling(['a', 'f', '{}'], ['b', 'f', '{}']))).toBeGreaterThan(plain)
})

test('of parts the text counts, and a picture as 1,000 tokens', () => {
  const text = { type: 'text', text: words }
  const picture = { type: 'image_url', url: words.repeat(100) }
  expect(sizeOf(user([text]))).toBe(sizeOf(user(words)))
  expect(sizeOf(user([text, picture]))).toBe(sizeOf(user(words)) + 1000)
  expect(sizeOf({ role: 'assistant', content: null })).toBe(4)
})

test('a message counts the same each time', () => {
  const message = user(words)
  expect(estimateMessages([message, message])).toBe(2 * sizeOf(message))
})

test.each([
  ['', 0],
  [' \n\t ', 0],
  ['The quick brown fox', 4],
  ['internationalization', 3],
  ['2026-11-23', 6],
  ['{"city":"Oslo"}', 5],
  ['人人生而自由', 6],
  ['すべての人間', 6],
  ['Привет', 2],
  ['👍🎉', 2],
])('the text %j counts as %i tokens', (text, tokens) => {
  expect(estimateTokenCount(text)).toBe(tokens)
})
