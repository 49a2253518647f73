import {
  Agent,
  agentTool,
  type ChatModel,
  type Decision,
  isCapstanError,
  jsonSchema,
  memoryHost,
  type RunState,
  safeRepair,
  tool,
} from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { testOf } from '../test/in-turn.js'
import { findJsonLoss, jsonHost } from './json-host.js'
import { faultSuite } from './testing/fault-suite.js'
import { hostInMemory, journalHost } from './testing/journal-host.js'

describe('the fault suite holds of journals over it', () => {
  const host = hostInMemory((journal, pass) => journalHost(journal, { pass, inner: jsonHost }))
  for (const { name, run } of faultSuite().checks(host, { atOnce: 4 })) testOf(name)(name, run)
})

test.each<[string, string, Decision, unknown]>([
  ['defaults and transforms', '{"to":" Ada "}', { type: 'approve' }, { to: 'Ada', amount: 10 }],
  ['text for a number', '{"to":"Ada","amount":"7"}', { type: 'approve' }, { to: 'Ada', amount: 7 }],
  ['sloppy JSON', '```json\n{"to":"Ada",}\n```', { type: 'approve' }, { to: 'Ada', amount: 10 }],
  ['odd numbers', '{"to":"\\u0041da","amount":1.0e1}', { type: 'approve' }, { to: 'Ada', amount: 10 }],
  ['half of a pair', '{"to":"\\ud800"}', { type: 'approve' }, { to: '\ufffd', amount: 10 }],
  ['edits', '{"to":"Ada"}', { type: 'approve', arguments: { to: 'Bob' } }, { to: 'Bob', amount: 10 }],
])(
  'an approval of a call with %s runs, in memory, as JSON and over a journal',
  async (_, text10, decision, expected) => {
    const hosts = [memoryHost, jsonHost, journalHost(new Map())]
    for (const host of hosts) {
      const ran: unknown[] = []
      const pay = tool({
        name: 'pay',
        description: 'Pays',
        parameters: z.object({ to: z.string().trim(), amount: z.number().default(10) }),
        needsApproval: true,
        execute: (args) => {
          ran.push(args)
          return 'paid'
        },
      })
      const payer = new Agent({
        model: scriptedModel([reply.call('pay', text10, { id: 'c' }), reply.text('Paid.')]),
        tools: [pay],
        repair: safeRepair,
      })
      const { state } = await payer.run('Pay.', { host })
      expect(state.stopReason).toBe('pending')
      const stored = JSON.parse(JSON.stringify(state)) as RunState
      const end = await payer.run(stored, { host, decisions: { c: decision } })
      expect(end).toMatchObject({ stopReason: 'done', text: 'Paid.' })
      expect(ran).toEqual([expected])
    }
  },
)

const parameters = jsonSchema({ type: 'object' })
const returning = (name: string, value: () => unknown) =>
  tool({ name, description: 'Returns it.', parameters, execute: value })

test('names the path of a value that JSON would lose', () => {
  const told = (value: unknown) => findJsonLoss(value)
  expect(told({ at: new Date(0), gone: undefined, deep: [null, { a: 1.5 }] })).toBeUndefined()
  expect(told({ deep: [1, { raw: new Uint8Array(2) }] })).toBe('"deep.1.raw" is an instance of Uint8Array')
  expect(told(new Map())).toBe('it is an instance of Map')
  expect(told({ n: 10n })).toBe('"n" is a BigInt')
  expect(told({ f: () => 1 })).toBe('"f" is a function')
  expect(told([Number.NaN])).toBe('"0" is NaN')
  expect(told([undefined])).toBe('"0" is undefined in a list')
  expect(told(new Date(Number.NaN))).toBe('it is an instance of Date')
  const circle: Record<string, unknown> = {}
  circle.self = circle
  expect(told(circle)).toBe('"self" contains itself')
})

test('a run has the same result as in memory', async () => {
  const agent = () =>
    new Agent({
      model: scriptedModel([
        reply.calls(reply.call('date', {}, { id: 'a' }), reply.call('none', {}, { id: 'b' })),
        reply.text('Done.'),
      ]),
      tools: [returning('date', () => new Date(0)), returning('none', () => undefined)],
    })
  const untimed = (value: unknown) =>
    JSON.parse(JSON.stringify(value, (key, one) => (key === 'ms' ? 0 : one)))
  const [json, memory] = await Promise.all(
    [jsonHost, memoryHost].map((host) => agent().run('Go.', { host, runId: 'r' })),
  )
  expect(untimed(json?.state)).toEqual(untimed(memory?.state))
  expect(json?.toolCalls[0]?.result).toBe('1970-01-01T00:00:00.000Z')
})

/** A model whose reply contains a value that is not JSON. */
const odd: ChatModel = {
  name: 'odd',
  complete: async () => ({ message: { role: 'assistant', content: 'Hi.', extra: { raw: new Map() } } }),
}

test('a step fails with a value that JSON would lose, and the error names the step', async () => {
  const failure = await new Agent({ model: odd })
    .run('Go.', { host: jsonHost })
    .catch((error: unknown) => error)
  expect(isCapstanError(failure)).toBe(true)
  expect(failure).toMatchObject({
    code: 'unsupported',
    message: expect.stringMatching(
      /step "step0\/request" \(model odd\) .*"message\.extra\.raw" is an instance of Map/,
    ),
  })
})

test('the same applies to a child agent', async () => {
  const inner = new Agent({ name: 'inner', model: odd })
  const outer = new Agent({
    model: scriptedModel([reply.call('inner', { input: 'Go.' }), reply.text('Done.')]),
    tools: [agentTool(inner)],
  })
  const { toolCalls } = await outer.run('Go.', { host: jsonHost })
  expect(toolCalls).toMatchObject([
    { status: 'error', content: expect.stringMatching(/is an instance of Map/) },
  ])
})

test('a result longer than maxStepBytes is rejected, and the error names the tool', async () => {
  const agent = new Agent({
    model: scriptedModel([reply.call('long'), reply.text('Done.')]),
    tools: [
      tool({
        name: 'long',
        description: 'Long.',
        parameters,
        maxResultBytes: 1_000_000,
        execute: () => 'x'.repeat(300_000),
      }),
    ],
  })
  const { toolCalls } = await agent.run('Go.', { host: jsonHost })
  expect(toolCalls).toMatchObject([
    { status: 'error', content: expect.stringMatching(/The tool "long" ran.*maxStepBytes: 262144/) },
  ])
})
