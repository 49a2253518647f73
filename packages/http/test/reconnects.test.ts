import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Agent, type AnyAgent, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { toNodeListener } from '../src/node-listener.js'
import type { HandlerOptions } from '../src/options.js'
import { eventsIn, handlerOf } from './requests.js'

/** More than the 30,000 at which a run drops all but 20,000. */
const many = 31_000

/** An agent whose tool reports its progress many times, then waits until it may end. */
function counting(count = many, words = '') {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  let counted = () => {}
  const isCounted = new Promise<void>((resolve) => {
    counted = resolve
  })
  const steps = tool({
    name: 'count',
    description: 'Counts',
    parameters: z.object({}),
    async *execute() {
      for (let step = 0; step < count; step++) yield { step, words }
      counted()
      await ended
      return 'counted'
    },
  })
  const model = scriptedModel([reply.call('count'), reply.text('Over.')])
  return { agent: new Agent({ name: 'helper', model, tools: [steps] }), isCounted, end }
}

/** Serves an agent over node:http. */
async function serve(agent: AnyAgent, options: Partial<HandlerOptions> = {}) {
  const handler = handlerOf(agent, { onDisconnect: 'finish', ...options })
  const server = createServer(toNodeListener(handler)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    await handler.close()
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const headers = { authorization: 'Bearer user-ann', 'content-type': 'application/json' }
  return {
    port,
    get: (path: string, more = {}, signal?: AbortSignal) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { ...headers, ...more },
        ...(signal && { signal }),
      }),
    post: (path: string, body: object, signal?: AbortSignal) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
        ...(signal && { signal }),
      }),
  }
}

const idsOf = (text: string) => eventsIn(text).flatMap(({ id }) => (id === undefined ? [] : [Number(id)]))

/** Reads a response until it has an event with this number, then closes the connection. */
async function readTo(last: number, response: Response, abort: AbortController): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const { value, done } = (await reader?.read()) ?? {}
    text += value ?? ''
    const end = text.indexOf('\n\n', text.indexOf(`id: ${last}\n`))
    if (done || !text.includes(`id: ${last}\n`) || end < 0) {
      if (done) return text
      continue
    }
    abort.abort()
    return text.slice(0, end + 2)
  }
}

test('a client that was disconnected continues behind its last event, and reads the result', async () => {
  const { agent, end } = counting(100)
  const { get, post } = await serve(agent)
  const leaving = new AbortController()
  const response = await post('/runs', { input: 'Count.' }, leaving.signal)
  const path = `/runs/${response.headers.get('x-run-id')}/events`
  const seen = idsOf(await readTo(20, response, leaving))
  const next = get(path, { 'last-event-id': '20' })
  const whole = get(`${path}?after=-1`)
  end()
  const rest = await (await next).text()
  const ids = [...seen, ...idsOf(rest)]
  expect(ids).toEqual(ids.map((_, index) => index))
  expect(ids.length).toBeGreaterThan(100)
  expect(eventsIn(rest).at(-1)).toMatchObject({ event: 'result', data: expect.stringContaining('Over.') })
  expect((await whole).status).toBe(400)
  expect(idsOf(await (await get(path)).text())).toEqual(ids)
})

test('events that are no longer kept are a 410 with the last of them; those that are kept can be read', async () => {
  const { agent, isCounted, end } = counting()
  const { get, post } = await serve(agent)
  const leaving = new AbortController()
  const response = await post('/runs', { input: 'Count.' }, leaving.signal)
  const path = `/runs/${response.headers.get('x-run-id')}/events`
  leaving.abort()
  await isCounted
  const gone = await get(path)
  expect(gone.status).toBe(410)
  const { error } = (await gone.json()) as { error: { code: string; message: string } }
  expect(error).toMatchObject({
    code: 'gone',
    message: expect.stringMatching(/^Events up to \d+ are no longer kept\. Read the events after \d+\.$/),
  })
  const last = Number(/\d+/.exec(error.message)?.[0])
  expect((await get(`${path}?after=${last - 1}`)).status).toBe(410)
  end()
  const ids = idsOf(await (await get(`${path}?after=${last}`)).text())
  expect(ids[0]).toBe(last + 1)
  expect(ids).toEqual(ids.map((_, index) => last + 1 + index))
  expect(ids.length).toBeGreaterThanOrEqual(20_000)
  expect(ids.length).toBeLessThanOrEqual(30_000)
})

test('a client that reads too slowly gets the error as its last event', async () => {
  const { agent, isCounted, end } = counting(many, 'on and on '.repeat(20))
  const { port } = await serve(agent)
  const socket = connect(port, '127.0.0.1')
  const body = JSON.stringify({ input: 'Count.' })
  const head = [
    'POST /runs HTTP/1.1',
    'host: 127.0.0.1',
    'authorization: Bearer user-ann',
    'connection: close',
  ]
  socket.write(
    `${[...head, `content-length: ${body.length}`, 'content-type: application/json'].join('\r\n')}\r\n\r\n${body}`,
  )
  await once(socket, 'readable')
  // Nothing is read while the events come.
  await isCounted
  end()
  let text = ''
  for await (const chunk of socket.setEncoding('utf8')) text += chunk
  expect(text).toMatch(
    /event: error\ndata: .*"message":"Events up to \d+ are no longer kept\. Read the events after \d+\."/,
  )
  expect(text).not.toContain('event: result')
})

test.each([
  ['are kept', 50, 200],
  ['are gone', many, 204],
])('a reply of a chat whose first events %s has a status for a reloaded page', async (_, count, status) => {
  const { agent, isCounted, end } = counting(count)
  const { get, post } = await serve(agent)
  const leaving = new AbortController()
  const messages = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Count.' }] }]
  await post('/ui', { id: 'chat', messages }, leaving.signal)
  leaving.abort()
  await isCounted
  const resumed = await get('/ui/chat/stream')
  end()
  expect(resumed.status).toBe(status)
  if (status === 200) expect(await resumed.text()).toContain('Over.')
})

test('a run that nobody reads keeps its events, and ends', async () => {
  const { agent, isCounted, end } = counting(50)
  const { get, post } = await serve(agent)
  const leaving = new AbortController()
  const response = await post('/runs', { input: 'Count.' }, leaving.signal)
  leaving.abort()
  await isCounted
  end()
  const text = await (await get(`/runs/${response.headers.get('x-run-id')}/events`)).text()
  expect(idsOf(text)[0]).toBe(0)
  expect(eventsIn(text).at(-1)?.event).toBe('result')
})
