import { expect, test } from 'vitest'
import { handlerOf, hello, toRequest } from '../test/requests.js'

const house = 'http://house.test'
const from = async (headers: Record<string, string>, origins: readonly string[] = []) =>
  (await handlerOf(hello(), { origins })(toRequest('/v1/models', { headers }))).status

// What browsers send for images, scripts, frames and links, without an origin.
test.each([
  ["a picture in another's page", { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' }, 403],
  ['a script of a sibling', { 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'script' }, 403],
  ["a frame in another's page", { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' }, 403],
  ["a page's own picture", { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'image' }, 200],
  ['an address that was typed', { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' }, 200],
  ['a link that was followed', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' }, 200],
  ['a program', {}, 200],
])('%s: %j is answered with %i', async (_, headers, status) => {
  expect(await from(headers)).toBe(status)
})

test('accepts an image of an allowed page by its referrer, and of an own page without one', async () => {
  const picture = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' }
  const allowed = ['https://app.example']
  expect(await from({ ...picture, referer: 'https://app.example/page' }, allowed)).toBe(200)
  expect(await from({ ...picture, referer: 'https://evil.example/page' }, allowed)).toBe(403)
  expect(await from({ ...picture, referer: 'nowhere' }, allowed)).toBe(403)
  expect(await from({ ...picture, referer: `${house}/page` })).toBe(200)
})

test('an http page is not same-origin with https; an https page may be with http', async () => {
  const ask = (house: string, origin: string) =>
    handlerOf(hello())(
      new Request(`${house}/v1/models`, { headers: { origin, authorization: 'Bearer user-ann' } }),
    )
  expect((await ask('https://house.test', 'http://house.test')).status).toBe(403)
  expect((await ask('https://house.test', 'https://house.test')).status).toBe(200)
  // The server is behind a proxy that removes TLS.
  expect((await ask('http://house.test', 'https://house.test')).status).toBe(200)
})

test('an allowed page may send any header, other pages none', async () => {
  const asked = {
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization, x-stainless-os',
  }
  const handler = handlerOf(hello(), { origins: ['https://app.example'] })
  const allowedFor = async (origin: string) => {
    const headers = { ...asked, origin }
    const answer = await handler(toRequest('/v1/chat/completions', { method: 'OPTIONS', user: '', headers }))
    return [answer.status, answer.headers.get('access-control-allow-headers')]
  }
  expect(await allowedFor('https://app.example')).toEqual([204, 'authorization, x-stainless-os'])
  expect(await allowedFor('https://evil.example')).toEqual([403, null])
})
