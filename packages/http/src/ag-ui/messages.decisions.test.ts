import { expect, test } from 'vitest'
import { expectLinear } from '../../../core/test/expect-linear.js'
import { agUiDecisions, readRunInput } from './messages.js'

const read = (messages: readonly object[]) =>
  agUiDecisions(readRunInput({ threadId: 't', runId: 'r', messages }))

test('a result belongs to the run whose message asked', () => {
  const asked = { id: 'run-1 calls', role: 'assistant', toolCalls: [{ id: 'c' }] }
  const answers = read([asked, { id: 'x', role: 'tool', toolCallId: 'c', content: 'Oslo' }])
  expect(Object.fromEntries(answers)).toEqual({
    c: { decision: { type: 'result', value: 'Oslo' }, runId: 'run-1' },
  })
})

test('reads a body full of results in linear time', () =>
  expectLinear((count) => {
    const results = Array.from({ length: count }, (_, at) => ({ role: 'tool', toolCallId: `c${at}` }))
    return () => expect(read(results).size).toBe(count)
  }, 5000))
