import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { waitingAgent } from '../test/pending-agent.js'
import { authenticate, handlerOf, hello, toRequest } from '../test/requests.js'
import { agentHandler } from './agent-handler.js'

/** Untyped, as JavaScript callers use it. */
const untyped = agentHandler as unknown as (...given: unknown[]) => ReturnType<typeof agentHandler>

describe('rejects options that are not valid with a TypeError that names the fix', () => {
  test.each<[string, unknown[], RegExp]>([
    ['no options', [hello()], /authenticate is not set/],
    ['null', [hello(), null], /authenticate is not set/],
    ['options without authenticate', [hello(), {}], /authenticate is not set/],
    ['no agent', [], /needs an agent/],
    ['an empty list', [[], { authenticate }], /needs an agent/],
    ['a list with a hole', [[hello(), undefined], { authenticate }], /needs an agent/],
    ['options in place of an agent', [{ authenticate }], /needs an agent/],
    ['a number as basePath', [hello(), { authenticate, basePath: 3 }], /basePath cannot be 3/],
    ['a text as origins', [hello(), { authenticate, origins: 'https://a.b' }], /origins cannot be https/],
    ['a text as hosts', [hello(), { authenticate: false, hosts: 'a.b' }], /hosts cannot be a\.b/],
    ['a URL as a host', [hello(), { authenticate: false, hosts: ['https://a.b'] }], /hosts/],
    [
      'a context that is not a function',
      [hello(), { authenticate, context: {} }],
      /context .* Pass a function/,
    ],
    ['a store as artifacts', [hello(), { authenticate, artifacts: {} }], /artifacts .* Pass a function/],
    [
      'an onError that is not a function',
      [hello(), { authenticate, onError: 'log' }],
      /onError cannot be log/,
    ],
    ['NaN as a number', [hello(), { authenticate, maxRuns: Number.NaN }], /maxRuns cannot be NaN/],
    ['a number as a text', [hello(), { authenticate, maxBodyBytes: '1' }], /maxBodyBytes cannot be 1/],
    ['a negative number', [hello(), { authenticate, maxSeconds: -1 }], /maxSeconds cannot be -1/],
    [
      'an unknown onDisconnect',
      [hello(), { authenticate, onDisconnect: 'x' }],
      /onDisconnect cannot be x\. Pass "abort" or "finish"/,
    ],
    ['maxBodiesBytes below maxBodyBytes', [hello(), { authenticate, maxBodiesBytes: 9 }], /maxBodiesBytes/],
  ])('%s', (_what, given, message) => {
    expect(() => untyped(...given)).toThrow(TypeError)
    expect(() => untyped(...given)).toThrow(message)
  })
})

test('an undefined option has its default', async () => {
  const handler = untyped(hello(), { authenticate, maxBodyBytes: undefined, maxRuns: undefined })
  const large = await handler(toRequest('/runs', { body: { input: 'x'.repeat(2 ** 20) } }))
  expect(large.status).toBe(413)
  expect((await handler(toRequest('/runs', { body: { input: 'Hi.' } }))).status).toBe(200)
})

test('infinite times become the longest timer delay', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const endless = Number.POSITIVE_INFINITY
  const times = { maxSeconds: endless, keepAliveMs: endless, keepRunsMs: endless }
  const handler = handlerOf(hello(), times)
  const response = await handler(toRequest('/runs', { body: { input: 'Hi.' } }))
  const told = await response.text()
  expect(told).not.toContain(': alive')
  expect(told).toContain('"stopReason":"done"')
  await vi.advanceTimersByTimeAsync(86_400_000)
  const again = await handler(toRequest(`/runs/${response.headers.get('x-run-id')}/events`))
  expect(again.status).toBe(200)
  await handler.close()
})

test.each(['agent', '/agent', 'agent/', '//agent//'])('the path %j is one path', async (basePath) => {
  const handler = handlerOf(hello(), { basePath })
  expect((await handler(toRequest('/agent/v1/models'))).status).toBe(200)
  expect((await handler(toRequest('/v1/models'))).status).toBe(404)
})

test.each(['', '/'])('the path %j is the root', async (basePath) => {
  expect((await handlerOf(hello(), { basePath })(toRequest('/v1/models'))).status).toBe(200)
})

describe('users', () => {
  test.each<[string, unknown, string]>([
    ['an empty id', { id: '' }, 'an empty id'],
    ['an id that is a number', { id: 7 }, 'an id of type number'],
    ['no id', {}, 'an id of type undefined'],
    ['an id that is null', { id: null }, 'an id of type object'],
    ['a name alone', 'ann', 'an id of type undefined'],
  ])('refuses a user with %s and reports it to onError', async (_what, user, found) => {
    const errors: unknown[] = []
    const handler = handlerOf(hello(), {
      authenticate: () => user as never,
      onError: (error) => errors.push(error),
    })
    const response = await handler(toRequest('/v1/models'))
    expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining('helper')])
    expect(errors.map(String)).toEqual([
      expect.stringMatching(/^TypeError: authenticate returned a user with/),
    ])
    expect(String(errors[0])).toContain(found)
  })

  test.each([undefined, null, false])('%s refuses without reporting a failure', async (user) => {
    const errors: unknown[] = []
    const handler = handlerOf(hello(), {
      authenticate: () => user as never,
      onError: (error) => errors.push(error),
    })
    expect((await handler(toRequest('/v1/models'))).status).toBe(401)
    expect(errors).toEqual([])
  })
})

describe('concurrent runs', () => {
  const start = (handler: ReturnType<typeof handlerOf>, user: string) =>
    handler(toRequest('/runs', { user, body: { input: 'Hi.' } }))

  test('maxRunsPerUser limits one user and not another', async () => {
    const handler = handlerOf(waitingAgent().agent, { maxRuns: 8 })
    expect([(await start(handler, 'ann')).status, (await start(handler, 'ann')).status]).toEqual([200, 200])
    const third = await start(handler, 'ann')
    expect([third.status, third.headers.get('retry-after')]).toEqual([429, '1'])
    expect((await third.json()).error.message).toContain('You have too many concurrent runs (limit 2)')
    const whole = { input: 'Hi.', stream: false }
    expect((await handler(toRequest('/runs', { body: whole }))).status).toBe(429)
    const bobs = await start(handler, 'bob')
    expect(bobs.status).toBe(200)
    await handler.close()
  })

  test('a run that ends frees a slot for its user', async () => {
    const handler = handlerOf(waitingAgent().agent, { maxRunsPerUser: 1 })
    const first = await start(handler, 'ann')
    expect((await start(handler, 'ann')).status).toBe(429)
    await handler(toRequest(`/runs/${first.headers.get('x-run-id')}`, { method: 'DELETE' }))
    await first.text()
    expect((await start(handler, 'ann')).status).toBe(200)
    await handler.close()
  })

  test('with authenticate: false one user may have all runs', async () => {
    const { agent } = waitingAgent()
    const handler = agentHandler(agent, { authenticate: false, hosts: ['house.test'], maxRuns: 3 })
    const statuses: number[] = []
    for (let at = 0; at < 4; at++) statuses.push((await start(handler, '')).status)
    expect(statuses).toEqual([200, 200, 200, 429])
    await handler.close()
  })
})

describe('the host of a request with authenticate: false', () => {
  const get = (host: string, headers: Record<string, string> = {}, hosts: readonly string[] = []) =>
    agentHandler(hello(), { authenticate: false, hosts })(
      new Request(`http://${host}/v1/models`, { headers }),
    )

  test.each(['localhost', 'localhost:3000', '127.0.0.1:8080', '127.9.9.9', '[::1]:3000', 'LOCALHOST'])(
    'accepts the local host %s',
    async (host) => {
      expect((await get(host)).status).toBe(200)
    },
  )

  test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example:3000', '10.0.0.7'])(
    'refuses %s without an origin, and the error names the fix',
    async (host) => {
      const response = await get(host)
      expect(response.status).toBe(403)
      const { error } = await response.json()
      expect(error).toMatchObject({ code: 'forbidden_host', message: expect.stringContaining(host) })
      expect(error.message).toContain("agentHandler's hosts")
    },
  )

  test('uses the Host header and not the URL that a proxy built', async () => {
    expect((await get('localhost', { host: 'evil.example' })).status).toBe(403)
    expect((await get('evil.example', { host: 'localhost:3000' })).status).toBe(200)
    for (const host of ['', ' ', 'a b', 'user@localhost', 'localhost/x', '[', 'localhost#'])
      expect((await get('localhost', { host })).status).toBe(403)
  })

  test('accepts a listed host with any port, and its own pages', async () => {
    const hosts = ['Agents.example.com']
    expect((await get('agents.example.com', {}, hosts)).status).toBe(200)
    expect((await get('agents.example.com:8443', {}, hosts)).status).toBe(200)
    expect((await get('other.example.com', {}, hosts)).status).toBe(403)
    const origin = 'http://agents.example.com'
    expect((await get('agents.example.com', { origin }, hosts)).status).toBe(200)
    expect((await get('agents.example.com', { origin: 'http://evil.example' }, hosts)).status).toBe(403)
  })

  test('a handler that authenticates accepts any host', async () => {
    expect((await handlerOf(hello())(toRequest('/v1/models'))).status).toBe(200)
  })
})
