import { Agent, createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { generate } from 'selfsigned'
import { expect, test } from 'vitest'
import { chatModel, type ModelRequest } from '../index.js'

const request: ModelRequest = {
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [],
  stream: false,
  signal: new AbortController().signal,
  idempotencyKey: 'k',
}

test('a server is asked over TLS; one whose certificate nobody vouches for is not', async () => {
  const altNames = [{ type: 7 as const, ip: '127.0.0.1' }]
  const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    extensions: [{ name: 'subjectAltName', altNames }],
  })
  const names: string[] = []
  const SNICallback = (name: string, found: (error: null) => void) => {
    names.push(name)
    found(null)
  }
  const server = createServer({ key, cert, SNICallback }, (_request, response) => {
    response.end(JSON.stringify({ choices: [{ message: { content: 'Hi.' } }] }))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const baseURL = `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const agent = new Agent({ ca: cert })
  const trusting = chatModel('m', { baseURL, apiKey: '', agent, maxRetries: 0 })
  expect((await trusting.complete(request)).message.content).toBe('Hi.')
  const strict = chatModel('m', { baseURL, apiKey: '', maxRetries: 0 })
  await expect(strict.complete(request)).rejects.toMatchObject({
    code: 'network',
    message: expect.stringMatching(/CERT|SIGNED/),
  })
  const named = chatModel('m', { baseURL, apiKey: '', maxRetries: 0, headers: { Host: 'models.example' } })
  await expect(named.complete(request)).rejects.toMatchObject({ code: 'network' })
  expect(names).toEqual(['models.example'])
  agent.destroy()
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
})
