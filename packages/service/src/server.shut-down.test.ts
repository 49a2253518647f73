import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { type OpenRequest, shutDown } from './server.js'

/** A server with one request that has begun and waits for its answer. */
async function begin() {
  const answering = new Set<OpenRequest>()
  let begun: (response: ServerResponse) => void
  const response = new Promise<ServerResponse>((resolve) => {
    begun = resolve
  })
  const server = createServer((request, response) => {
    const done = once(response, 'close').then(() => void answering.delete(entry))
    const entry = { request, done }
    answering.add(entry)
    request.resume().on('end', () => begun(response))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const asked = fetch(url, { method: 'POST', body: 'x' }).then((answer) => answer.text())
  const ended: string[] = []
  const close = (graceMs: number) =>
    shutDown({ server, answering, graceMs, end: async () => void ended.push('all') })
  return { url, asked, close, ended, response: await response }
}

test('finishes open requests and accepts no new ones', async () => {
  const { url, asked, close, ended, response } = await begin()
  const closed = close(10_000)
  await expect(fetch(url)).rejects.toThrow()
  expect(ended).toEqual([])
  response.end('whole')
  await closed
  expect([await asked, ended]).toEqual(['whole', ['all']])
})

test('ends a response after the time limit', async () => {
  const { asked, close, ended } = await begin()
  const outcome = expect(asked).rejects.toThrow()
  await close(10)
  await outcome
  expect(ended).toEqual(['all'])
})
