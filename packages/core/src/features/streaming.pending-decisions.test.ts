import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import type { Decision, PendingCall } from '../types/state.js'
import { PendingDecisions } from './streaming.js'

const call = (callId: string): PendingCall => ({ callId, name: 'f', arguments: {}, kind: 'approval' })
const [a, b] = [call('a'), call('b')]
const approve: Decision = { type: 'approve' }
const deny: Decision = { type: 'deny', reason: 'no' }
const never = new AbortController().signal
const fine = async () => {}

function room(...calls: readonly PendingCall[]): PendingDecisions {
  return roomWith(fine, ...calls)
}

function roomWith(
  check: (call: PendingCall, decision: Decision) => Promise<void>,
  ...calls: readonly PendingCall[]
): PendingDecisions {
  const made = new PendingDecisions(check)
  for (const one of calls) made.expect(one)
  return made
}

test('decisions may come in any order, before they are waited for or after', async () => {
  const one = room(a, b)
  await one.decide('b', deny)
  const waiting = one.wait(a, never)
  await one.decide('a', approve)
  expect(await waiting).toBe(approve)
  expect(await one.wait(b, never)).toBe(deny)
})

test('a decision is checked against its call first', async () => {
  const seen: unknown[] = []
  await roomWith(async (...given) => void seen.push(given), a, b).decide('b', approve)
  expect(seen).toEqual([[b, approve]])
})

test('a call goes on waiting after a decision that cannot be carried out', async () => {
  const refuse = async (_call: PendingCall, { type }: Decision) => {
    if (type === 'deny') throw new Error('not like this')
  }
  const one = roomWith(refuse, a)
  const waiting = one.wait(a, never)
  await expect(one.decide('a', deny)).rejects.toThrow('not like this')
  await one.decide('a', approve)
  expect(await waiting).toBe(approve)
})

test('an abort ends the waiting without a decision, also one that came before', async () => {
  const one = room(a, b)
  const controller = new AbortController()
  const waiting = one.wait(a, controller.signal)
  controller.abort()
  expect(await waiting).toBeUndefined()
  expect(await one.wait(b, controller.signal)).toBeUndefined()
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  await expect(one.decide('a', approve)).rejects.toThrow('No pending call "a". Pending: none.')
})

test('the signal is let go of when a decision has come', async () => {
  const { signal } = new AbortController()
  const one = room(a)
  const waiting = one.wait(a, signal)
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  await one.decide('a', approve)
  await waiting
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

test('a call that does not wait is refused with those that do', async () => {
  await expect(room(a, b).decide('c', approve)).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('No pending call "c". Pending: a, b. Wait for its call-pending event'),
    evidence: { callId: 'c' },
  })
  await expect(room().decide('c', approve)).rejects.toThrow('Pending: none.')
})

test('a call is decided on once: a second decision is refused, not lost', async () => {
  const one = room(a, b)
  await one.decide('a', approve)
  await expect(one.decide('a', deny)).rejects.toThrow('No pending call "a". Pending: b.')
  expect(await one.wait(a, never)).toBe(approve)
  await expect(one.decide('a', deny)).rejects.toThrow('Pending: b.')
})

test('of two decisions that are checked at one time the first to pass counts', async () => {
  const one = room(a)
  const decided = await Promise.allSettled([one.decide('a', approve), one.decide('a', deny)])
  expect(decided.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect(await one.wait(a, never)).toBe(approve)
})

test('nobody waits for a call that was never told', async () => {
  expect(await room().wait(a, never)).toBeUndefined()
})
