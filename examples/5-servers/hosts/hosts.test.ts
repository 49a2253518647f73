import { request } from 'node:http'
import { Agent, type AnyAgent, type ModelReply, type ModelRequest, type ModelSink, tool } from '@capstan/core'
import { agentHandler } from '@capstan/http'
import { reply, scriptedModel } from '@capstan/testing'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { authenticate } from './authenticate.js'
import { hosts, startServer } from './servers.js'

// A server of Hono replaces these.
const { Request, Response } = Object.getOwnPropertyDescriptors(globalThis)
afterAll(() => void Object.defineProperties(globalThis, { Request, Response }))

const headers = { authorization: 'Bearer user-ann', 'content-type': 'application/json' }
const sound = new Uint8Array(1000).map((_, at) => at)

const record = tool({
  name: 'record',
  description: 'Records',
  parameters: z.object({}),
  execute: (_, { artifacts }) => artifacts.put(sound, { kind: 'audio', mediaType: 'audio/mpeg' }),
})

function deferred() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

/** A model that streams one word, and continues when the test allows it. */
function haltingModel() {
  const goOn = deferred()
  const asked = deferred()
  const aborted = deferred()
  const model = {
    name: 'halting',
    async complete({ signal }: ModelRequest, sink?: ModelSink): Promise<ModelReply> {
      asked.resolve()
      signal.addEventListener('abort', () => aborted.resolve())
      sink?.({ type: 'text', text: 'First' })
      await Promise.race([goOn.promise, aborted.promise])
      return { message: { role: 'assistant', content: 'First, then last.' } }
    },
  }
  return { model, goOn: goOn.resolve, asked: asked.promise, aborted: aborted.promise }
}

describe.each(Object.entries(hosts))('%s', (name, toServer) => {
  async function start(agent: AnyAgent) {
    const handler = agentHandler(agent, { basePath: '/agent', authenticate })
    const { origin, close } = await startServer(await toServer(handler))
    onTestFinished(async () => {
      await handler.close()
      await close()
    })
    return `${origin}/agent`
  }

  const post = (url: string, body: object, signal: AbortSignal | null = null) =>
    fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal })

  test('the first words arrive before the last are said', async () => {
    const { model, goOn } = haltingModel()
    const url = await start(new Agent({ name: 'helper', model }))
    const messages = [{ role: 'user', content: 'Hi' }]
    const response = await post(`${url}/v1/chat/completions`, { model: 'helper', stream: true, messages })
    const pieces = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let seen = ''
    while (!seen.includes('First')) seen += (await pieces?.read())?.value
    expect(seen).not.toContain('last')
    goOn()
    while (!seen.includes('[DONE]')) seen += (await pieces?.read())?.value
    expect(seen).toContain('last')
  })

  test.each([true, false])('a client that hangs up aborts the run (streamed: %s)', async (stream) => {
    const { model, asked, aborted } = haltingModel()
    const url = await start(new Agent({ model }))
    const client = new AbortController()
    const answer = post(`${url}/runs`, { input: 'Hi', stream }, client.signal).catch(() => {})
    await asked
    if (stream) await answer
    client.abort()
    await aborted
    await answer
  })

  // Parsers of Express have a bound of their own, and read what they refuse to its end.
  test.runIf(name === 'Express that parses')('a body beyond 100 kB is refused by Express', async () => {
    const url = await start(new Agent({ model: scriptedModel([]) }))
    expect((await post(`${url}/runs`, { input: 'a'.repeat(2 ** 17) })).status).toBe(413)
  })

  test.skipIf(name === 'Express that parses')(
    'a body of 100 MB is refused early, whether it says its size or not',
    async () => {
      const url = await start(new Agent({ model: scriptedModel([]) }))
      const announced = { ...headers, 'content-length': String(100 * 2 ** 20) }
      expect(await statusOfBody(`${url}/runs`, announced, 2 ** 16)).toBe(413)
      // What a server leaves unread may reset the connection before its response is read: little more than the limit.
      expect(await statusOfBody(`${url}/runs`, headers, 2 ** 20 + 1)).toBe(413)
    },
  )

  test('an artifact is sent in parts, with its type', async () => {
    const model = scriptedModel([reply.call('record', {}), reply.text('There.')])
    const url = await start(new Agent({ model, tools: [record] }))
    const { artifacts } = await (await post(`${url}/runs`, { input: 'Record.', stream: false })).json()
    const path = `${url}/artifacts/${artifacts[0].id}`
    const part = await fetch(path, { headers: { ...headers, range: 'bytes=10-19' } })
    expect(part.status).toBe(206)
    expect(part.headers.get('content-type')).toBe('audio/mpeg')
    expect(part.headers.get('content-range')).toBe('bytes 10-19/1000')
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(sound.subarray(10, 20))
    const head = await fetch(path, { headers, method: 'HEAD' })
    expect(head.headers.get('content-length')).toBe('1000')
  })
})

/** Sends the beginning of a longer body, waits for the response, and returns its status. */
function statusOfBody(
  url: string,
  headers: Record<string, string>,
  bytes: number,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', headers }, (response) => {
      resolve(response.statusCode)
      outgoing.destroy()
    })
    outgoing.on('error', reject)
    outgoing.write(Buffer.alloc(bytes, ' '))
  })
}
