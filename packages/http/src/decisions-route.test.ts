import type { Decision, PendingCall } from '@capstan/core'
import { expect, test } from 'vitest'
import { toRequest } from '../test/requests.js'
import { approvalToken } from './approval-tokens.js'
import type { HandlerContext } from './context.js'
import {
  type DecidedBefore,
  type DecisionRequest,
  decisionsRoute,
  type FoundCall,
} from './decisions-route.js'
import { type HttpError, toErrorResponse } from './http-error.js'
import { Quota } from './quota.js'

const secrets = ['the new secret has thirty-six letters', 'the old secret has thirty-six letters']
const call: PendingCall = {
  callId: 'call_1',
  name: 'book_room',
  arguments: { city: 'Oslo' },
  kind: 'approval',
  reason: '"book_room" needs approval.',
}
const hour = 3_600_000

/** Returns runs with one call, whose first decision applies. */
function runsWith(changes: Partial<FoundCall> = {}) {
  const decided: Decision[] = []
  let before: DecidedBefore | undefined = changes.decided
  const found = { agent: 'helper', definitionHash: 'h', call, ...changes }
  return {
    decided,
    decisions: {
      findPending: async (runId: string, callId: string) =>
        runId === 'run' && callId === call.callId
          ? { ...found, ...(before ? { decided: before } : {}) }
          : undefined,
      decide: async (_runId: string, _callId: string, decision: Decision) => {
        if (before) return before
        before = { decision: decision.type, at: 1_700_000_000_000 }
        decided.push(decision)
        return undefined
      },
    },
  }
}

interface Asked extends Partial<DecisionRequest> {
  readonly body?: unknown
  readonly method?: string
  readonly user?: string
}

const handler = {
  options: { maxBodyBytes: 1000 },
  bodies: new Quota({ total: 10_000, perUser: 10_000 }),
} as unknown as HandlerContext

async function ask(token: string, { body, method, user = '', ...changes }: Asked = {}) {
  const request = toRequest('/decisions/TOKEN', {
    user,
    ...(method ? { method } : {}),
    ...(body ? { body } : {}),
  })
  const given: DecisionRequest = {
    ...{ request, handler, rest: [token], secrets },
    decisions: runsWith().decisions,
    authenticate: async () => ({ id: user }),
    ...changes,
  }
  const response = await decisionsRoute(given).catch((error: HttpError) => toErrorResponse(error))
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    json: text === '' ? undefined : JSON.parse(text),
  }
}

const tokenOf = (options: object = {}, changes: object = {}) =>
  approvalToken(
    { runId: 'run', call, definitionHash: 'h', ...changes },
    { secret: secrets[0] ?? '', expiresAt: Date.now() + hour, ...options },
  )

const approve = { decision: { type: 'approve' } }

test('GET shows the call, and decides nothing', async () => {
  const runs = runsWith()
  const expiresAt = Date.now() + hour
  const token = await tokenOf({ expiresAt })
  for (let times = 0; times < 3; times++) {
    const { status, headers, json } = await ask(token, runs)
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(json).toEqual({
      status: 'pending',
      name: 'book_room',
      arguments: { city: 'Oslo' },
      agent: 'helper',
      reason: '"book_room" needs approval.',
      expiresAt,
    })
  }
  expect(runs.decided).toEqual([])
})

test.each([
  [{ type: 'approve' }, { type: 'approve' }],
  [
    { type: 'deny', reason: 'too cold' },
    { type: 'deny', reason: 'too cold' },
  ],
  [{ type: 'deny' }, { type: 'deny', reason: 'The user did not approve.' }],
  [
    { type: 'deny', reason: ' ' },
    { type: 'deny', reason: 'The user did not approve.' },
  ],
])('POST decides once: %j', async (decision, expected) => {
  const runs = runsWith()
  const token = await tokenOf()
  expect(await ask(token, { ...runs, body: { decision } })).toMatchObject({ status: 204 })
  expect(runs.decided).toEqual([expected])
  for (const again of [decision, { type: 'approve' }, { type: 'deny' }])
    expect(await ask(token, { ...runs, body: { decision: again } })).toMatchObject({
      status: 409,
      json: { error: { code: 'already_decided', decision: decision.type, at: 1_700_000_000_000 } },
    })
  expect(await ask(token, runs)).toMatchObject({
    status: 200,
    json: { status: 'decided', decision: decision.type, at: 1_700_000_000_000 },
  })
  expect(runs.decided).toHaveLength(1)
})

test('of two who decide at the same time one counts', async () => {
  const runs = runsWith()
  const token = await tokenOf()
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(token, { ...runs, body: approve })))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([
    204,
    ...Array.from({ length: 19 }, () => 409),
  ])
  expect(runs.decided).toHaveLength(1)
})

test.each([
  [{ type: 'approve', arguments: { city: 'Rome' } }, 400],
  [{ type: 'approve', arguments: null }, 400],
  [{ type: 'result', value: 'done' }, 400],
  [{ type: 'APPROVE' }, 400],
  ['approve', 400],
  [true, 400],
])('rejects the decision %j', async (decision, status) => {
  const runs = runsWith()
  const answer = await ask(await tokenOf(), { ...runs, body: { decision } })
  expect([answer.status, answer.json.error.code]).toEqual([status, 'invalid_request'])
  expect(runs.decided).toEqual([])
})

test('a call that waits for a result takes no decision', async () => {
  const runs = runsWith({ call: { ...call, kind: 'result' } })
  expect((await ask(await tokenOf(), { ...runs, body: approve })).status).toBe(400)
})

test('a token of the older secret counts; one of another secret does not', async () => {
  expect((await ask(await tokenOf({ secret: secrets[1] }), { body: approve })).status).toBe(204)
  const foreign = await ask(await tokenOf({ secret: 'x'.repeat(32) }), { body: approve })
  expect([foreign.status, foreign.json.error.code]).toEqual([403, 'invalid_token'])
})

test('an expired token', async () => {
  const { status, json } = await ask(await tokenOf({ expiresAt: Date.now() - 1 }), { body: approve })
  expect([status, json.error.code]).toEqual([410, 'expired'])
})

test('a call on which nobody decided in time', async () => {
  const runs = runsWith({ decided: { decision: 'deny', at: 1, isExpired: true } })
  expect(await ask(await tokenOf(), { ...runs, body: approve })).toMatchObject({
    status: 410,
    json: { error: { code: 'expired' } },
  })
})

test.each([
  ['arguments', { call: { ...call, arguments: { city: 'Rome' } } }],
  ['a tool', { call: { ...call, name: 'cancel_room' } }],
  ['the definition of the tools', { definitionHash: 'other' }],
])('409 conflict when %s differ', async (_, changes) => {
  const runs = runsWith(changes)
  for (const asked of [{}, { body: approve }]) {
    const { status, json } = await ask(await tokenOf(), { ...runs, ...asked })
    expect([status, json.error.code]).toEqual([409, 'conflict'])
    expect(JSON.stringify(json)).not.toContain('Rome')
  }
  expect(runs.decided).toEqual([])
})

test('a run that is gone', async () => {
  const { status, json } = await ask(await tokenOf({}, { runId: 'gone' }), { body: approve })
  expect([status, json.error.code]).toEqual([404, 'not_found'])
})

test('with who only this user decides, and others need no login', async () => {
  const runs = runsWith()
  const token = await tokenOf({ who: 'ann' })
  for (const user of ['bob', '']) {
    for (const asked of [{}, { body: approve }]) {
      const { status, json } = await ask(token, { ...runs, ...asked, user })
      expect([status, json.error.code]).toEqual([403, 'invalid_token'])
    }
  }
  const challenge = new Response('{}', { status: 401 })
  expect((await ask(token, { ...runs, body: approve, authenticate: async () => challenge })).status).toBe(401)
  expect(runs.decided).toEqual([])
  expect((await ask(token, { ...runs, body: approve, user: 'ann' })).status).toBe(204)
  const authenticate = () => Promise.reject(new Error('must not be called'))
  expect((await ask(await tokenOf(), { body: approve, authenticate })).status).toBe(204)
})

test('other paths and methods, and a server without secrets', async () => {
  const token = await tokenOf()
  expect((await ask(token, { method: 'DELETE' })).status).toBe(405)
  expect((await ask(token, { secrets: [] })).status).toBe(404)
  expect((await ask(token, { rest: [] })).status).toBe(404)
  expect((await ask(token, { rest: [token, 'more'] })).status).toBe(404)
  const malformed = await ask('not-a-token')
  expect([malformed.status, malformed.json.error.code]).toEqual([403, 'invalid_token'])
})

test('a body that is too large or not JSON is not read before the token', async () => {
  const body = { decision: { type: 'deny', reason: 'x'.repeat(2000) } }
  expect((await ask('not-a-token', { body })).status).toBe(403)
  expect((await ask(await tokenOf(), { body })).status).toBe(413)
})
