import { expect, test } from 'vitest'
import { handlerOf, hello } from '../test/requests.js'
import { type ApprovalOptions, toApprovalSettings } from './approvals.js'

const secret = 'a secret of thirty-two characters'

test('calls wait for 7 days, without tokens', () => {
  expect(toApprovalSettings()).toEqual({ secrets: [], expiresInMs: 7 * 24 * 3600 * 1000 })
  expect(toApprovalSettings({ secrets: [secret] })).toMatchObject({ secrets: [secret] })
})

test.each([
  [{ secrets: ['short'] }, 'A secret for approval tokens has 5 characters.'],
  [{ secrets: [secret, secret.slice(0, 31)] }, 'has 31 characters'],
  [{ secrets: [7] }, 'is of type number'],
  [{ secrets: secret }, 'agentHandler: approvals.secrets cannot be string'],
  [{ expiresInMs: 0 }, 'agentHandler: approvals.expiresInMs cannot be 0'],
  [{ expiresInMs: -1 }, 'positive number'],
  [{ expiresInMs: Number.NaN }, 'positive number'],
  [{ expiresInMs: Number.POSITIVE_INFINITY }, 'positive number'],
  [{ expiresInMs: '7d' }, 'positive number'],
  [{ onExpiry: 'mail' }, 'agentHandler: approvals.onExpiry cannot be mail'],
  ['all', 'agentHandler: approvals cannot be all'],
])('rejects %j', (approvals, message) => {
  const make = () => handlerOf(hello(), { approvals: approvals as ApprovalOptions })
  expect(make).toThrow(TypeError)
  expect(make).toThrow(message)
})

test('names an unknown option, and shows no secret', () => {
  const make = () => handlerOf(hello(), { approvals: { secret } as ApprovalOptions })
  expect(make).toThrow(/Unknown option|secret/)
  expect(make).not.toThrow(secret)
})
