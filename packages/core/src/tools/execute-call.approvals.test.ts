import { expect, test } from 'vitest'
import { callContextOf, callOf, judgeOf, named, stepOf } from '../../test/call-context.js'
import type { Approval } from '../run/middleware.js'
import type { EventBody } from '../types/event.js'
import { dispatch } from './execute-call.js'
import { jsonSchema } from './json-schema.js'
import { type Policy, verdict } from './policies.js'
import type { CallStep } from './prepare-call.js'
import { type Repair, safeRepair } from './repair.js'
import { type ToolSettings, tool } from './tool.js'

const hang = () => new Promise<never>(() => {})

interface Judged {
  readonly policy?: Policy
  readonly settings?: ToolSettings
  readonly approval?: Approval
  readonly signal?: AbortSignal
  readonly callContext?: Partial<CallStep>
}

/** Runs a call of a tool that returns its arguments. */
function outcomeOf({ policy, settings = {}, approval, signal, callContext = {} }: Judged) {
  const echo = named('echo', (args) => args, settings)
  return dispatch(
    callOf('echo', '{"a":1}'),
    { ...callContextOf([echo]), hooks: judgeOf(policy ? [policy] : []), ...callContext },
    stepOf(signal),
    approval,
  )
}

test("a denied call has the policy's reason as its result", async () => {
  expect(await outcomeOf({ policy: () => verdict.deny('never') })).toEqual({
    status: 'denied',
    content: 'Error: call denied: never',
    ms: 0,
  })
})

test('a call that needs an approval is pending with the arguments of the message', async () => {
  const waiting = { status: 'pending', kind: 'approval', arguments: { a: 1 } }
  expect(await outcomeOf({ policy: () => verdict.ask() })).toStrictEqual(waiting)
  expect(await outcomeOf({ policy: async () => verdict.ask('sure?') })).toStrictEqual({
    ...waiting,
    reason: 'sure?',
  })
  expect(await outcomeOf({ settings: { needsApproval: true } })).toMatchObject(waiting)
})

test('a call of a tool without a function is pending, unless a policy denies it', async () => {
  const elsewhere = tool({ name: 'elsewhere', description: 'D', parameters: jsonSchema({ type: 'object' }) })
  const judge = (list: Policy[]) =>
    dispatch(callOf('elsewhere'), { ...callContextOf([elsewhere]), hooks: judgeOf(list) }, stepOf())
  expect(await judge([])).toStrictEqual({ status: 'pending', kind: 'result', arguments: {} })
  expect(await judge([() => verdict.deny('no')])).toMatchObject({ status: 'denied' })
})

test('an approved call runs with the arguments that were shown', async () => {
  const settings = { needsApproval: true }
  expect(await outcomeOf({ policy: () => verdict.ask('sure?'), settings, approval: {} })).toMatchObject({
    status: 'ok',
    content: '{"a":1}',
    approved: true,
  })
  expect(await outcomeOf({})).not.toHaveProperty('approved')
})

test('a policy may deny an approved call', async () => {
  expect(await outcomeOf({ policy: () => verdict.deny('not today'), approval: {} })).toEqual({
    status: 'denied',
    content: 'Error: call denied: not today',
    ms: 0,
  })
})

test('a pending call shows the arguments of the message, even if a policy changed its copy', async () => {
  const policy: Policy = ({ arguments: args }) => {
    Object.assign(args as object, { a: 1_000 })
    return verdict.ask()
  }
  expect(await outcomeOf({ policy })).toMatchObject({ status: 'pending', arguments: { a: 1 } })
})

test('edited arguments need no further approval, but a policy may deny them', async () => {
  const approval = { arguments: { a: 2 } }
  const asking = { policy: () => verdict.ask('why?'), settings: { needsApproval: true } }
  const edited = await outcomeOf({ ...asking, approval })
  expect(edited).toMatchObject({ status: 'ok', content: '{"a":2}', approved: true, arguments: { a: 2 } })
  const denied = await outcomeOf({ policy: () => verdict.deny('too much'), approval })
  expect(denied).toMatchObject({ status: 'denied' })
})

test('an error of a policy becomes the result of its call, which does not run', async () => {
  const broken = () => {
    throw new Error('broken')
  }
  for (const policy of [broken, async () => broken()])
    expect(await outcomeOf({ policy })).toEqual({ status: 'error', content: 'Error: broken', ms: 0 })
})

test('waits for a policy no longer than the deadline of the tool', async () => {
  const late = { status: 'error', content: expect.stringContaining('after 5 ms') }
  expect(await outcomeOf({ policy: hang, settings: { timeoutMs: 5 } })).toMatchObject(late)
  expect(await outcomeOf({ policy: hang, callContext: { timeoutMs: 5 } })).toMatchObject(late)
  const both = { settings: { timeoutMs: 5 }, callContext: { timeoutMs: 60_000 } }
  expect(await outcomeOf({ policy: hang, ...both })).toMatchObject(late)
})

test('calls no policy after an abort', async () => {
  let asks = 0
  const policy = () => {
    asks += 1
    return verdict.deny('no')
  }
  expect(await outcomeOf({ policy, signal: AbortSignal.abort() })).toMatchObject({ status: 'not_run', ms: 0 })
  expect(asks).toBe(0)
})

test.each([
  ['read' as const, true],
  [() => 'x', false],
  [undefined, false],
])('passes readsOnly to policies (%s)', async (effects, readsOnly) => {
  let told: unknown
  const policy: Policy = (call) => {
    told = call
    return verdict.deny('no')
  }
  await outcomeOf({ policy, settings: effects ? { effects } : {} })
  expect(told).toEqual({ callId: 'call_1', name: 'echo', arguments: { a: 1 }, readsOnly })
})

test('with repair, coerces arguments to the schema and marks the call', async () => {
  const parameters = jsonSchema({
    type: 'object',
    properties: { n: { type: 'number' }, s: { type: 'string', minLength: 2 } },
  })
  const count = tool({ name: 'count', description: 'D', parameters, execute: (args) => args })
  const events: EventBody[] = []
  const of = (text: string, repair?: Repair) =>
    dispatch(
      callOf('count', text),
      { ...callContextOf([count], (event) => events.push(event)), repair },
      stepOf(),
    )
  expect(await of('{"n":"1"}')).toMatchObject({ status: 'rejected' })
  expect(await of('{"n":1}', safeRepair)).not.toHaveProperty('repaired')
  expect(await of('{"n":"1","s":"x"}', safeRepair)).toMatchObject({ status: 'rejected' })
  expect(await of('{"s":"x"}', safeRepair)).toMatchObject({ status: 'rejected' })
  expect(events.filter(({ type }) => type === 'repair-applied')).toEqual([])
  expect(await of('{"n":"1"}', safeRepair)).toMatchObject({
    status: 'ok',
    content: '{"n":1}',
    repaired: true,
  })
  expect(events.filter(({ type }) => type === 'repair-applied')).toEqual([
    { type: 'repair-applied', step: 3, callId: 'call_1', name: 'count', repairs: ['n: "1" was read as 1'] },
  ])
})
