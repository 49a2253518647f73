import { beforeAll, describe, expect, test } from 'vitest'
import { some } from '../../../scripts/cases.mjs'
import { type ApprovalTokenOptions, approvalToken, isCallOf, readApprovalToken } from './approval-tokens.js'

const secret = `${'s'.repeat(31)}1`
const other = `${'s'.repeat(31)}2`
const call = { callId: 'call_1', name: 'book_room', arguments: { city: 'Oslo', nights: 2 } }
const given = { runId: 'run-1', call, definitionHash: 'abc123' }
const expiresAt = Date.now() + 3_600_000

const tokenOf = (options: Partial<ApprovalTokenOptions> = {}, changes: object = {}) =>
  approvalToken({ ...given, ...changes }, { secret, expiresAt, ...options })
const read = (token: string, secrets: readonly string[] = [secret]) => readApprovalToken(token, { secrets })

test('says what it is for', async () => {
  const token = await tokenOf({ who: 'ann' })
  expect(token).toMatch(/^[\w-]+\.[\w-]{43}$/)
  expect(await read(token)).toEqual({
    runId: 'run-1',
    callId: 'call_1',
    name: 'book_room',
    definitionHash: 'abc123',
    argumentsHash: expect.stringMatching(/^[\w-]{43}$/),
    expiresAt,
    who: 'ann',
  })
  expect('who' in (await read(await tokenOf()))).toBe(false)
})

test('stays short, whatever the arguments are', async () => {
  const long = await tokenOf({}, { call: { ...call, arguments: { text: 'x'.repeat(100_000) } } })
  expect(long.length).toBeLessThan(300)
  expect(atob(String(long.split('.')[0]).replaceAll('-', '+').replaceAll('_', '/'))).not.toContain('xxx')
})

test('every secret reads what it has signed, so that secrets can be replaced', async () => {
  const token = await tokenOf()
  expect(await read(token, [other, secret])).toMatchObject({ runId: 'run-1' })
  await expect(read(token, [other])).rejects.toMatchObject({ code: 'invalid_token', status: 403 })
})

test('text of any script', async () => {
  const names = { runId: 'løp', call: { ...call, callId: '呼び出し', name: '예약' } }
  expect(await read(await tokenOf({ who: 'Åse "the boss"' }, names))).toMatchObject({
    runId: 'løp',
    callId: '呼び出し',
    name: '예약',
    who: 'Åse "the boss"',
  })
})

test('expires', async () => {
  const token = await tokenOf({ expiresAt: Date.now() })
  await expect(read(token)).rejects.toMatchObject({ code: 'expired', status: 410 })
  // Only the holder of a token that this server signed is told that it has expired.
  await expect(read(token, [other])).rejects.toMatchObject({ code: 'invalid_token' })
})

test.each([
  ['the run', { runId: 'run-2' }],
  ['the call', { call: { ...call, callId: 'call_2' } }],
  ['the tool', { call: { ...call, name: 'cancel_room' } }],
  ['an argument', { call: { ...call, arguments: { city: 'Oslo', nights: 3 } } }],
  ['a further argument', { call: { ...call, arguments: { ...call.arguments, vip: true } } }],
  ['the tools', { definitionHash: 'abc124' }],
])('is for one call: another is %s', async (_, changes) => {
  const token = await read(await tokenOf())
  expect(await isCallOf(token, given)).toBe(true)
  expect(await isCallOf(token, { ...given, ...changes })).toBe(false)
})

test('the order of arguments does not matter', async () => {
  const turned = { ...given, call: { ...call, arguments: { nights: 2, city: 'Oslo' } } }
  expect(await isCallOf(await read(await tokenOf()), turned)).toBe(true)
})

test.each([
  ['', 'has 0 characters'],
  ['s'.repeat(31), 'has 31 characters'],
  [undefined, 'is of type undefined'],
])('rejects the secret %j', async (short, message) => {
  await expect(tokenOf({ secret: short as string })).rejects.toThrow(message)
  await expect(read('a.b', [secret, short as string])).rejects.toThrow(TypeError)
})

test('needs an end and secrets', async () => {
  for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, -1, 1.5, '2030-01-01'])
    await expect(tokenOf({ expiresAt: wrong as number })).rejects.toThrow(TypeError)
  await expect(read(await tokenOf(), [])).rejects.toThrow(TypeError)
})

describe('10,000 changed tokens', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  let token = ''
  let foreign = ''
  beforeAll(async () => {
    token = await tokenOf({ who: 'ann' })
    foreign = await tokenOf({ who: 'bob' })
  })

  /** Changes one token: each of its characters, cuts, additions, parts of another token, and other secrets. */
  function* changed(): Generator<string> {
    for (let at = 0; at < token.length; at++) {
      for (let next = 1; next < alphabet.length; next++) {
        const was = alphabet.indexOf(token[at] ?? '')
        const now = was < 0 ? alphabet[next] : alphabet[(was + next) % alphabet.length]
        yield token.slice(0, at) + now + token.slice(at + 1)
      }
      for (const sign of ['.', '=', '+', '/', ' ', 'é', '%', '\n'])
        if (token[at] !== sign) yield token.slice(0, at) + sign + token.slice(at + 1)
      yield token.slice(0, at)
      yield token.slice(at + 1)
      yield token.slice(0, at) + token.slice(at + 1)
      yield token.slice(0, at) + token[at] + token.slice(at)
    }
    const [payload = '', signature = ''] = token.split('.')
    const [payload2 = '', signature2 = ''] = foreign.split('.')
    yield `${payload}.${signature2}`
    yield `${payload2}.${signature}`
    yield `${signature}.${payload}`
    yield `${payload}.${payload}`
    yield `${payload}.${signature}.`
    yield `.${payload}.${signature}`
    yield `${payload}.${signature}=`
    yield `${payload}=.${signature}`
    yield ` ${token}`
    yield `${token}\n`
    yield ''
  }

  test('none is read', async () => {
    const all = [...changed()]
    expect(all.length).toBeGreaterThan(10_000)
    expect(new Set(all).has(token)).toBe(false)
    const readable: string[] = []
    for (const one of some(all, 10)) {
      const code = await read(one).then(
        () => 'read',
        (error: { code?: string }) => error.code,
      )
      if (code !== 'invalid_token') readable.push(one)
    }
    expect(readable).toEqual([])
  })

  test('none of other secrets is read', async () => {
    for (let at = 0; at < secret.length; at++) {
      const near = `${secret.slice(0, at)}x${secret.slice(at + 1)}`
      await expect(read(await tokenOf({ secret: near }))).rejects.toMatchObject({ code: 'invalid_token' })
    }
  })
})
