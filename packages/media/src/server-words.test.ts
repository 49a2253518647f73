import { expect, test } from 'vitest'
import { serverWords, wordsOf } from './server-words.js'

test.each([
  ['{"error":{"message":"No paint."}}', 'No paint.'],
  ['{"error":"No paint."}', 'No paint.'],
  ['[{"error":{"code":400,"message":"No paint."}}]', 'No paint.'],
  ['{"detail":"Not Found"}', 'Not Found'],
  ['{"detail":[{"loc":["body"],"msg":"field required"}]}', 'field required'],
  ['{"message":"Unauthorized"}', 'Unauthorized'],
  ['{"object":"list","data":[]}', '{"object":"list","data":[]}'],
  ['<html><head><title> 502 Bad\nGateway </title></head></html>', 'an HTML page, "502 Bad Gateway"'],
  ['<p>Go   away</p>', 'Go away'],
  ['  ', 'an empty body'],
])('%j says %j', (body, words) => {
  expect(serverWords(body)).toBe(words)
})

test('what is quoted is never long', () => {
  expect(serverWords('word '.repeat(10_000))).toHaveLength(303)
  expect(serverWords(JSON.stringify({ message: 'A'.repeat(10_000) }))).toHaveLength(303)
})

test('bytes that are no text are told by their beginning', () => {
  expect(wordsOf(Uint8Array.from([0, 1, 255]))).toBe('3 bytes that begin 00 01 ff')
})
