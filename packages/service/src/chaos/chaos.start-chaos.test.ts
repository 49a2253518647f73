import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Service } from '../start-service.js'
import { startService } from '../start-service.js'

let service: Service

beforeAll(async () => {
  const rules = [
    { quirk: 'overloaded', path: '/v1/models', nth: 2, times: 2 },
    { quirk: 'html-error', path: '/v1/audio/speech', probability: 0.5, seed: 7 },
  ] as const
  service = await startService({ chaos: rules })
})
afterAll(() => service.close())

function ask(path: string, chaos?: string, { baseURL, apiKey } = service): Promise<Response> {
  const headers = { authorization: `Bearer ${apiKey}`, ...(chaos && { 'x-capstan-chaos': chaos }) }
  const method = path === '/models' ? 'GET' : 'POST'
  return fetch(baseURL + path, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(method === 'POST' && { body: '{}' }),
  })
}

async function statuses(count: number, path: string, chaos?: string): Promise<number[]> {
  const seen: number[] = []
  for (let at = 0; at < count; at++) seen.push((await ask(path, chaos)).status)
  return seen
}

test('a rule starts at its nth request and applies for `times` requests', async () => {
  expect(await statuses(5, '/models')).toEqual([200, 503, 503, 200, 200])
})

test('the seed decides the probability: about half, the same in another service', async () => {
  const rules = [{ quirk: 'html-error', path: '/v1/audio/speech', probability: 0.5, seed: 7 }] as const
  const other = await startService({ chaos: rules })
  const seen = await statuses(20, '/audio/speech')
  const again: number[] = []
  for (let at = 0; at < 20; at++) again.push((await ask('/audio/speech', undefined, other)).status)
  await other.close()
  expect(again).toEqual(seen)
  const hit = seen.filter((status) => status === 502).length
  expect(hit).toBeGreaterThan(4)
  expect(hit).toBeLessThan(16)
})

test('a request selects a quirk by its header, always or for `times` requests', async () => {
  expect(await statuses(2, '/models', 'server-error')).toEqual([500, 500])
  expect(await statuses(3, '/models', 'server-error;times=2')).toEqual([500, 500, 200])
  expect(await statuses(2, '/models', 'server-error; times=1; id=mine')).toEqual([500, 200])
})

test('an unknown quirk is a 400 with the valid names', async () => {
  const response = await ask('/models', 'earthquake')
  const { error } = (await response.json()) as { error: { param: string; message: string } }
  expect([response.status, error.param]).toEqual([400, 'x-capstan-chaos'])
  expect(error.message).toContain('rate-limit')
})

test('a service without chaos rejects the header', async () => {
  const calm = await startService()
  expect((await ask('/models', 'reset', calm)).status).toBe(400)
  await calm.close()
})

test.each([
  [[{ quirk: 'earthquake' }], 'chaos[0] has an unknown quirk "earthquake"'],
  [[{ quirk: 'reset' }, { quirk: 'reset', after: 3 }], 'chaos[1] has an unknown field "after"'],
  [[{ quirk: 'reset', nth: 0 }], 'chaos[0] has a nth that is not a positive whole number'],
  [[{ quirk: 'reset', probability: 2 }], 'chaos[0] has a probability that is not between 0 and 1'],
  [[{ quirk: 'reset', path: 'v1' }], 'chaos[0] has a path that does not start with /'],
  [{ quirk: 'reset' }, 'chaos must be true, false or an array of rules'],
])('rejects the rules %j and names the place', async (chaos, message) => {
  await expect(startService({ chaos: chaos as never })).rejects.toThrow(message)
})
