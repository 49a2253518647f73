import { expect, test } from 'vitest'
import { expectLinear } from '../../../test/expect-linear.js'
import { promisesCalls } from '../../model/reply-fields.js'
import { toFinishReason, worseReason } from './lenient-json.js'

test.each([
  ['', [null, undefined, '', 'null', 'None', 'FINISH_REASON_UNSPECIFIED', {}, true]],
  [
    'length',
    ['length', 'LENGTH', 'max_tokens', 'MAX_TOKENS', 'maxTokens', 'max_output_tokens', 'model_length'],
  ],
  [
    'length',
    ['max-tokens', 'token_limit', 'model_context_window_exceeded', 'FinishReason.MAX_TOKENS', 'incomplete'],
  ],
  [
    'content_filter',
    ['content_filter', 'content-filter', 'ContentFilter', 'SAFETY', 'sensitive', 'RECITATION'],
  ],
  [
    'error',
    ['error', 'ERROR', 'network_error', 'abort', 'aborted', 'cancelled', 'canceled', 'timeout', 'timed_out'],
  ],
  ['error', ['insufficient_system_resource', 'MALFORMED_FUNCTION_CALL', 'engine_overloaded']],
  ['stop', ['stop', 'STOP', ' stop ', 'FinishReason.STOP', 'FINISH_REASON_STOP']],
  ['tool_calls', ['tool_calls', 'toolCalls', 'TOOL_CALLS']],
  ['end_turn', ['end_turn']],
  ['7', [7]],
])('normalizes to %j: %j', (reason, words) => {
  for (const word of words) expect(toFinishReason(word)).toBe(reason)
})

test.each([
  ['', 'stop', 'stop'],
  ['stop', '', 'stop'],
  ['tool_calls', 'stop', 'stop'],
  ['length', 'stop', 'length'],
  ['stop', 'length', 'length'],
  ['length', 'content_filter', 'content_filter'],
  ['error', 'stop', 'error'],
])('%j followed by %j yields %j', (before, now, expected) => {
  expect(worseReason(before, now)).toBe(expected)
})

test('recognizes finish reasons that announce calls', () => {
  for (const reason of ['tool_calls', 'tool_call', 'tool_use', 'function_call'])
    expect(promisesCalls(reason)).toBe(true)
  for (const reason of ['stop', 'toolbox', '']) expect(promisesCalls(reason)).toBe(false)
})

test('a reason that goes on and on is read as far as a word may go', () =>
  expectLinear(
    (times) => () => expect(toFinishReason('max_'.repeat(times))).toBe('max_'.repeat(25)),
    200_000,
  ))
