import { expect, test } from 'vitest'
import { callContextOf, callOf, named, stepOf } from '../../test/call-context.js'
import { policies } from '../features/policies.js'
import { taintTracking } from '../index.js'
import { Hooks } from '../run/hooks.js'
import type { RunView } from '../run/middleware.js'
import { noUsage } from '../usage.js'
import { type Policy, type PolicyView, type Verdict, verdict } from './policies.js'
import { prepareCall } from './prepare-call.js'
import type { ToolSettings } from './tool.js'

const call = { callId: 'call_1', name: 'write', arguments: { to: 'x' }, readsOnly: false }
const view: PolicyView = { context: 'ctx', runId: 'r', step: 2, usage: noUsage, approved: [] }

/** Returns what becomes of a call. @throws Error with the text of a result that is an error */
async function verdictOf(
  list: readonly Policy[],
  settings: ToolSettings = {},
  {
    tainted,
    taint = true,
    readsOnly = false,
  }: { tainted?: string; taint?: boolean; readsOnly?: boolean } = {},
): Promise<Verdict> {
  const run = (tainted === undefined ? view : { ...view, taintedBy: tainted }) as RunView
  const { beforeTool } = taintTracking({ ask: taint })
  // As in a run: a policy sees no more than a policy may.
  const judges = [
    ...(beforeTool ? [{ name: 'taint', beforeTool }] : []),
    ...[policies().forAgent?.({ policy: list }) ?? []].flat(),
  ]
  const tool = named('write', () => 1, { ...settings, ...(readsOnly && { effects: 'read' }) })
  const step = { ...callContextOf([tool]), hooks: new Hooks(judges), run }
  const one = await prepareCall(callOf('write', '{"to":"x"}'), step, stepOf())
  if (!('status' in one)) return verdict.allow
  if (one.status === 'pending') return verdict.ask(one.reason)
  if (one.status !== 'denied') throw new Error(one.content)
  return verdict.deny(one.content.replace('Error: call denied: ', ''))
}

test('allows a call without objections', async () => {
  expect(await verdictOf([])).toEqual({ type: 'allow' })
  expect(await verdictOf([() => verdict.allow, async () => verdict.allow], { needsApproval: false })).toEqual(
    {
      type: 'allow',
    },
  )
})

test('returns the strictest verdict, and passes call and run to each policy', async () => {
  const seen: unknown[] = []
  const note: Policy = (given, about) => {
    seen.push([given, about])
    return verdict.allow
  }
  expect(await verdictOf([note, () => verdict.ask('sure?'), async () => verdict.deny('no'), note])).toEqual({
    type: 'deny',
    reason: 'no',
  })
  expect(seen).toEqual([
    [call, view],
    [call, view],
  ])
})

test('calls policies in order, without waiting for each', async () => {
  const order: string[] = []
  const slow: Policy = async () => {
    order.push('slow begins')
    await null
    order.push('slow ends')
    return verdict.allow
  }
  await verdictOf([
    slow,
    () => {
      order.push('next')
      return verdict.allow
    },
  ])
  expect(order).toEqual(['slow begins', 'next', 'slow ends'])
})

test.each([
  [true, 'ask'],
  [false, 'allow'],
  [() => true, 'ask'],
  [() => false, 'allow'],
  [async () => true, 'ask'],
  [async () => false, 'allow'],
])('a tool with needsApproval (%s) requests an approval', async (needsApproval, type) => {
  expect(await verdictOf([], { needsApproval })).toMatchObject({ type })
})

test('passes arguments and run to a needsApproval function', async () => {
  let seen: unknown[] = []
  const needsApproval = (...given: unknown[]) => {
    seen = given
    return true
  }
  expect(await verdictOf([], { needsApproval })).toEqual({
    type: 'ask',
    reason: '"write" needs approval.',
  })
  expect(seen).toEqual([{ to: 'x' }, view])
})

test('a denial of a policy wins over needsApproval, whose reason comes after those of policies', async () => {
  expect(await verdictOf([() => verdict.deny('no')], { needsApproval: true })).toMatchObject({ type: 'deny' })
  expect(await verdictOf([() => verdict.ask('policy')], { needsApproval: true })).toMatchObject({
    reason: 'policy',
  })
})

test('after untrusted text, asks for tools that may change things, not for those that only read', async () => {
  expect(await verdictOf([], {}, { tainted: 'fetch' })).toEqual({
    type: 'ask',
    reason: 'The run has read untrusted content from "fetch", and "write" can change data.',
  })
  expect(await verdictOf([], {}, { tainted: 'fetch', readsOnly: true })).toEqual({ type: 'allow' })
  expect(await verdictOf([], {}, { tainted: 'fetch', taint: false })).toEqual({
    type: 'allow',
  })
  expect(await verdictOf([() => verdict.deny('no')], {}, { tainted: 'fetch' })).toMatchObject({
    type: 'deny',
  })
})

test.each([undefined, null, true, 'allow', {}, { type: 'yes' }])(
  'an invalid verdict (%j) is not an approval',
  async (wrong) => {
    const policy = (() => wrong) as unknown as Policy
    await expect(verdictOf([() => verdict.allow, policy])).rejects.toThrow(
      'A policy must return verdict.allow, deny or ask.',
    )
  },
)

test('rejects with the error of a policy or of a needsApproval function', async () => {
  const fail = () => {
    throw new Error('broken')
  }
  await expect(verdictOf([fail])).rejects.toThrow('broken')
  await expect(verdictOf([], { needsApproval: fail })).rejects.toThrow('broken')
})

test('with several failures, rejects with one and leaves none unhandled', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', note)
  const later = () => Promise.reject(new Error('later'))
  const atOnce = () => {
    throw new Error('at once')
  }
  await expect(verdictOf([later, atOnce])).rejects.toThrow()
  await expect(verdictOf([later, () => verdict.allow], { needsApproval: atOnce })).rejects.toThrow()
  await new Promise(setImmediate)
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})
