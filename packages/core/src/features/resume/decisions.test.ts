import { expect, test } from 'vitest'
import * as z from 'zod'
import { named } from '../../../test/call-context.js'
import { memoryArtifacts } from '../../artifacts/memory-artifacts.js'
import { tool, toToolset } from '../../tools/tool.js'
import type { Decision, PendingCall } from '../../types/state.js'
import { checkDecision, checkDecisions, resultOfDecision } from './decisions.js'

const send = tool({
  name: 'send',
  description: 'D',
  parameters: z.object({ to: z.string(), copies: z.int().default(1) }),
  execute: () => 'sent',
})
const toolset = toToolset([send, named('other', () => 1)])
const call: PendingCall = { callId: 'c1', name: 'send', arguments: { to: 'a' }, kind: 'approval' }
const asked: PendingCall = { ...call, callId: 'c2', kind: 'result' }

const check = (decision: unknown, waiting = call) => checkDecision(waiting, decision as Decision, toolset)

test.each([
  [{ type: 'approve' }, call],
  [{ type: 'approve', arguments: { to: 'b' } }, call],
  [{ type: 'deny', reason: 'no' }, call],
  [{ type: 'result', value: 3 }, call],
  [{ type: 'result', value: undefined }, asked],
  [{ type: 'deny', reason: '' }, asked],
])('%j can be carried out', async (decision, waiting) => {
  await check(decision, waiting)
})

test.each([undefined, null, 'approve', {}, { type: 'yes' }, { type: 'Approve' }])(
  '%j is no decision',
  async (decision) => {
    await expect(check(decision)).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'The decision on "c1" (send) has an unknown type. Use approve, deny or result.',
      evidence: { callId: 'c1' },
    })
  },
)

test('a call without a function cannot be approved', async () => {
  await expect(check({ type: 'approve' }, asked)).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('(send) needs { type: "result", value }.'),
  })
})

test('a no needs its reason', async () => {
  await expect(check({ type: 'deny' })).rejects.toMatchObject({
    message: 'The decision on "c1" (send) to deny needs a reason for the model.',
  })
})

test('a result must be one that can be written', async () => {
  for (const value of [1n, new Map([[1, 2]]), Number.NaN, new Error('broken')])
    await expect(check({ type: 'result', value })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('has a value that is not JSON: '),
    })
})

test('edited arguments must fit the tool', async () => {
  await expect(check({ type: 'approve', arguments: { to: 3 } })).rejects.toMatchObject({
    code: 'invalid_arguments',
    message: expect.stringMatching(
      /^The decision on "c1" \(send\) does not match its schema: to: .*\(given: 3\)\.$/,
    ),
    evidence: { callId: 'c1', issues: [expect.stringContaining('to: ')] },
  })
})

test('decisions are checked all, each against its own call', async () => {
  await checkDecisions({}, [], () => toolset)
  const decisions = { c2: { type: 'result', value: 1 }, c1: { type: 'approve' } } as const
  await checkDecisions(decisions, [call, asked], () => toolset)
  const wrong = { c1: { type: 'approve' }, c2: { type: 'approve' } } as const
  await expect(checkDecisions(wrong, [call, asked], () => toolset)).rejects.toThrow('"c2" (send)')
})

test('a decision on a call that does not wait is refused with those that do', async () => {
  const decisions = { c9: { type: 'approve' } } as const
  await expect(checkDecisions(decisions, [call, asked], () => toolset)).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'No pending call "c9". Pending: "c1" (send), "c2" (send).',
    evidence: { callId: 'c9' },
  })
  await expect(checkDecisions(decisions, [], () => toolset)).rejects.toThrow('Pending: none.')
})

test('a result from outside is rendered as one of a function', async () => {
  const artifacts = memoryArtifacts()
  const plan = { artifacts, signal: new AbortController().signal }
  const picture = await artifacts.put(new Uint8Array([1]), { kind: 'image', mediaType: 'image/png' })
  expect(await resultOfDecision({ picture }, plan)).toEqual({
    status: 'ok',
    content: `{"picture":{"artifact":"${picture.id}","mediaType":"image/png"}}`,
    result: { picture },
    artifacts: [picture],
    ms: 0,
  })
  expect(await resultOfDecision(undefined, plan)).toStrictEqual({
    status: 'ok',
    content: 'Done. The tool returned no value.',
    artifacts: [],
    ms: 0,
  })
})

test.each([
  ['of another content', memoryArtifacts(), { sha256: '00' }],
  ['that the store does not have', memoryArtifacts(), { id: 'img_aaaaaaaa' }],
  ['in a store that fails', { ...memoryArtifacts(), stat: () => Promise.reject(new Error('away')) }, {}],
])('a result from outside that names an artifact %s is data', async (_which, artifacts, changed) => {
  const picture = await artifacts.put(new Uint8Array([1]), { kind: 'image', mediaType: 'image/png' })
  const value = { ...picture, ...changed }
  const answer = await resultOfDecision(value, { artifacts, signal: new AbortController().signal })
  expect(answer).toMatchObject({ content: JSON.stringify(value), result: value, artifacts: [] })
})

test('a result from outside is described by the store', async () => {
  const artifacts = memoryArtifacts()
  const picture = await artifacts.put(new Uint8Array([1]), { kind: 'image', mediaType: 'image/png' })
  const value = { ...picture, mediaType: 'text/html' }
  const answer = await resultOfDecision(value, { artifacts, signal: new AbortController().signal })
  expect(answer?.artifacts).toEqual([picture])
})
