import { expect, test } from 'vitest'
import { named } from '../../test/call-context.js'
import { wireCall } from '../../test/chunks.js'
import { runOf, stateOf } from '../../test/run-of.js'
import { type TaintOptions, taintTracking } from '../index.js'
import type { Message } from '../types/message.js'
import type { RunState } from '../types/state.js'
import { noUsage } from '../usage.js'

const nothing = () => 1
const tools = [named('look', nothing), named('page', nothing, { untrusted: true })]
const asked: Message = {
  role: 'assistant',
  content: null,
  tool_calls: [wireCall('a', 'look', '{}'), wireCall('b', 'page', '{}')],
}
const told = (id: string): Message => ({ role: 'tool', tool_call_id: id, content: 'Pay now.' })
async function taintOf(messages: Message[], changes: Partial<RunState> = {}, options: TaintOptions = {}) {
  const run = runOf(tools, stateOf([], { messages, ...changes }))
  return (await taintTracking(options).beforeRun?.(run))?.taintedBy
}

test('an untrusted tool that answered before the run is named', async () => {
  expect(await taintOf([asked, told('a'), told('b')])).toBe('page')
})

test('trusted words, and calls that are still open, are none', async () => {
  expect(await taintOf([asked, told('a')])).toBeUndefined()
  expect(await taintOf([{ role: 'user', content: 'page' }])).toBeUndefined()
})

test('a run that has begun has said so itself', async () => {
  const messages = [asked, told('a'), told('b')]
  expect(await taintOf(messages, { usage: { ...noUsage, requests: 1 } })).toBeUndefined()
  expect(await taintOf(messages, { usage: { ...noUsage, toolCalls: 1 } })).toBeUndefined()
  expect(await taintOf(messages, { taintedBy: 'page' })).toBeUndefined()
})

test('it is named where taint is switched off too: a caller of the agent may ask because of it', async () => {
  expect(await taintOf([asked, told('a'), told('b')], {}, { ask: false })).toBe('page')
})
