import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent } from '@capstan/core'
import { scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import { durable, startWorker } from '../restate.js'

const agent = new Agent({ name: 'clerk', model: scriptedModel([]) })

/** A server that sends the same response to all requests, and records them. */
async function serverOf(status: number, body: string) {
  const asked: { url: string; auth?: string }[] = []
  const server = createServer((request, response) => {
    const { authorization: auth } = request.headers
    asked.push({ url: request.url ?? '', ...(auth ? { auth } : {}) })
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, asked, close: () => new Promise((resolve) => server.close(resolve)) }
}

test('the error for an unreachable Restate names its URL', async () => {
  const gone = await serverOf(200, '')
  await gone.close()
  const runs = durable(agent, { ingress: gone.url, admin: gone.url })
  for (const ask of [() => runs.start('Go.'), () => runs.status('x'), () => runs.result('x')])
    await expect(ask()).rejects.toMatchObject({
      code: 'network',
      retryable: true,
      message: expect.stringContaining(gone.url),
    })
})

test('a stream throws the error of a run that cannot start', async () => {
  const gone = await serverOf(200, '')
  await gone.close()
  const run = durable(agent, { ingress: gone.url, admin: gone.url }).stream('Go.')
  const read = async () => {
    for await (const _ of run) expect.unreachable('nothing happens')
  }
  await expect(read()).rejects.toMatchObject({ code: 'network' })
})

test('rejects reserved and invalid run ids before any request', async () => {
  const server = await serverOf(202, '{}')
  const runs = durable(agent, { ingress: server.url, admin: server.url })
  for (const runId of ['a/step0/child0', 'a/step3/child1.2', '', 'a\0b', '\ud800', 'x'.repeat(501)])
    await expect(runs.start('Go.', { runId })).rejects.toMatchObject({ code: 'invalid_request' })
  expect(server.asked).toEqual([])
  await server.close()
})

test('a paused invocation of a run with a longer id does not count', async () => {
  const row = { key: 'a', handler: 'run', value_utf8: '1', event_json: '{}' }
  const rows = [
    { ...row, id: 'own', status: 'running' },
    { ...row, id: 'inner', key: 'a/step0/child0', status: 'paused' },
    { ...row, id: 'other', key: 'a/tango', status: 'paused' },
  ]
  const server = await serverOf(200, JSON.stringify({ rows }))
  await durable(agent, { ingress: server.url, admin: server.url }).abort('a')
  const changed = server.asked.map(({ url }) => url).filter((url) => url !== '/query')
  expect(changed.sort()).toEqual([
    '/invocations/inner/cancel',
    '/invocations/inner/resume',
    '/invocations/own/cancel',
  ])
  await server.close()
})

test('sends the given headers and escapes ids', async () => {
  const server = await serverOf(202, '{"invocationId":"inv_1","status":"Accepted"}')
  const headers = { authorization: 'Bearer sesame' }
  const runs = durable(agent, { ingress: server.url, admin: server.url, headers })
  expect(await runs.start('Go.', { runId: 'a/b?c' })).toBe('a/b?c')
  expect(server.asked).toEqual([{ url: '/clerk/a%2Fb%3Fc/run/send', auth: 'Bearer sesame' }])
  await server.close()
})

test('the error quotes the response of the server', async () => {
  const server = await serverOf(400, '{"message":"No."}')
  const runs = durable(agent, { ingress: server.url, admin: server.url })
  await expect(runs.start('Go.')).rejects.toMatchObject({
    code: 'api',
    status: 400,
    message: expect.stringContaining('"No."'),
  })
  await server.close()
})

test('a worker needs at least one agent, made by this entry', async () => {
  expect(() => startWorker([{ ...durable(agent) }])).toThrow(TypeError)
  await expect(startWorker([])).rejects.toMatchObject({ code: 'invalid_request' })
  await expect(startWorker([durable(agent), durable(agent)])).rejects.toThrow('Duplicate agent name')
})
