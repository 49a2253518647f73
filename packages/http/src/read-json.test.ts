import { describe, expect, test } from 'vitest'
import { handlerOf, hello, toRequest } from '../test/requests.js'

const isClosed = async (headers: Record<string, string>, user = '', path = '/runs') => {
  const response = await handlerOf(hello())(toRequest(path, { user, headers, body: { input: 'Hi' } }))
  return [response.status, response.headers.get('connection')]
}

describe('closes a connection with too many unread bytes', () => {
  const much = { 'content-length': String(100 * 2 ** 20) }
  test.each<[string, Record<string, string>, string, string, number, string | null]>([
    ['a stranger', much, '', '/runs', 401, 'close'],
    ['one who does not say how much', { 'transfer-encoding': 'chunked' }, '', '/runs', 401, 'close'],
    ['a page of another origin', { ...much, origin: 'http://evil.test' }, 'ann', '/runs', 403, 'close'],
    ['who asks for no route', much, 'ann', '/nothing', 404, 'close'],
    ['who sends another type', { ...much, 'content-type': 'text/plain' }, 'ann', '/runs', 415, 'close'],
    ['who announces too much', much, 'ann', '/runs', 413, 'close'],
    ['but not of a stranger who sends little', {}, '', '/runs', 401, null],
    ['nor of one whose body was read', { 'transfer-encoding': 'chunked' }, 'ann', '/runs', 200, null],
  ])('%s', async (_, headers, user, path, status, connection) => {
    expect(await isClosed(headers, user, path)).toEqual([status, connection])
  })
})

test('a client that disconnects while sending is not an application failure', async () => {
  const heard: unknown[] = []
  const body = new ReadableStream({
    start(out) {
      out.enqueue(new TextEncoder().encode('{"input":'))
    },
    pull: (out) => out.error(new Error('aborted')),
  })
  const { url, headers } = toRequest('/runs', { headers: { 'content-type': 'application/json' } })
  const request = new Request(url, { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
  const response = await handlerOf(hello(), { onError: (error) => heard.push(error) })(request)
  expect([response.status, heard]).toEqual([400, []])
})
