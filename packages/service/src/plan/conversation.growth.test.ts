import { expect, test } from 'vitest'
import { expectLinear } from '../../../core/test/expect-linear.js'
import { parseConversation } from '../endpoints/messages-content.js'
import { parseInput } from '../endpoints/responses-input.js'
import { toCalls } from './conversation.js'

const user = { role: 'user', content: 'x' }

const idsOf = (count: number) => Array.from({ length: count }, (_, at) => `c${at}`)

test('reads items of Responses in linear time, results in any order', () =>
  expectLinear((count) => {
    const ids = idsOf(count)
    const calls = ids.map((call_id) => ({ type: 'function_call', call_id, name: 'f', arguments: '{}' }))
    const results = ids.map((call_id) => ({ type: 'function_call_output', call_id, output: 'x' }))
    const items = [user, ...calls, ...results.reverse()]
    return () => expect(toCalls(parseInput(items, () => undefined))).toHaveLength(count)
  }, 2000))

test('reads blocks of Messages in linear time, results in any order', () =>
  expectLinear((count) => {
    const ids = idsOf(count)
    const uses = ids.map((id) => ({ type: 'tool_use', id, name: 'f', input: {} }))
    const results = ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'x' }))
    const turns = [user, { role: 'assistant', content: uses }, { role: 'user', content: results.reverse() }]
    return () => expect(toCalls(parseConversation(turns))).toHaveLength(count)
  }, 2000))
