import { expect, test } from 'vitest'
import { stateOf } from '../../test/run-of.js'
import type { Message } from '../types/message.js'
import { firstUserMessage } from './input.js'

const user: Message = { role: 'user', content: 'Go.' }
const said: Message = { role: 'assistant', content: 'Done.' }
const turn: Message[] = [
  { role: 'assistant', content: '', tool_calls: [] },
  { role: 'tool', tool_call_id: 'a', content: 'b' },
]
const at = (turns: number, ...messages: Message[]) =>
  firstUserMessage(stateOf([], { messages, stepCount: turns }))

test('a run that begins has its task at the end', () => {
  expect(at(0, user)).toBe(0)
  expect(at(0, user, said, user)).toBe(2)
  expect(at(0, user, ...turn)).toBe(0)
})

test('one that is gone on with has it before its first answer, whatever was sent into it', () => {
  expect(at(2, user, said, user, ...turn, user, ...turn)).toBe(2)
  expect(at(3, user, ...turn, said, user, ...turn)).toBe(0)
})

test('more answers than are kept are taken for all there are', () => {
  expect(at(5, user, ...turn, user, ...turn)).toBe(0)
})

test('without words of the user there is none', () => {
  expect(at(0)).toBe(-1)
  expect(at(1, ...turn)).toBe(-1)
})
