import { inspect } from 'node:util'
import { expect, test, vi } from 'vitest'
import { type Line, startScriptedServer } from '../../test/scripted-server.js'
import { Agent, chatModel, type RunEvent } from '../index.js'

const key = 'sk-proj-7f3a9b2c4d5e6f708192a3b4c5d6e7f8'
const quoted = `Incorrect API key provided: ${key}. Find yours at https://example.com.`

const raw =
  (status: number, body: string, type = 'application/json'): Line =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': type })
    response.end(body)
  }

const places: [string, Line][] = [
  ['an error object', raw(401, JSON.stringify({ error: { message: quoted } }))],
  ['an error text', raw(401, JSON.stringify({ error: quoted }))],
  ['an array of errors', raw(400, JSON.stringify([{ error: { message: quoted } }]))],
  [
    'a detail',
    raw(422, JSON.stringify({ detail: [{ msg: quoted, input: { authorization: `Bearer ${key}` } }] })),
  ],
  ['a page', raw(502, `<html><title>${key}</title><body>${quoted}</body></html>`, 'text/html')],
  ['plain text', raw(500, quoted, 'text/plain')],
  ['text that is cut in the middle of it', raw(500, `${'x'.repeat(280)}${key}`, 'text/plain')],
  ['an error with status 200', raw(200, JSON.stringify({ error: { message: quoted, code: 401 } }))],
  ['a page with status 200', raw(200, `<!doctype html><p>${quoted}`, 'text/html')],
  [
    'an error in a choice',
    raw(200, JSON.stringify({ choices: [{ error: { message: quoted, code: 502 } }] })),
  ],
  ['an event that is none', raw(200, `data: {"choices":[{"delta":${quoted}\n\n`, 'text/event-stream')],
  ['an error event', raw(200, `event: error\ndata: {"error":"${quoted}"}\n\n`, 'text/event-stream')],
  [
    'the code of an error',
    raw(429, JSON.stringify({ error: { message: 'slow down', code: key, type: key } })),
  ],
]

test.each(places)(
  'a key that a server repeats in %s is in no error, event or log',
  async (_place, line) => {
    const logged: unknown[] = []
    const spies = (['log', 'warn', 'error', 'info', 'debug'] as const).map((method) =>
      vi.spyOn(console, method).mockImplementation((...words) => void logged.push(words)),
    )
    await using server = await startScriptedServer([line, line])
    const events: RunEvent[] = []
    const model = chatModel('m', {
      baseURL: server.baseURL,
      apiKey: key,
      maxRetries: 1,
      headers: { 'x-api-key': key },
    })
    const agent = new Agent({ model, observe: (event) => events.push(event) })
    const error = await agent.stream('Go.').result.catch((thrown) => thrown)
    for (const spy of spies) spy.mockRestore()
    const told = inspect([error, error.message, error.stack, error.state, events, logged], {
      depth: 20,
      showHidden: true,
    })
    expect(error.code).toBeTruthy()
    expect(told).not.toContain(key)
    expect(told).not.toContain(key.slice(0, 16))
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${key}`)
  },
  20_000,
)
