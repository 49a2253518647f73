// A model server for replies with files, and files to send.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { type AssistantMessage, chatModel } from '../src/index.js'

export const pngOf = (length: number, seed = 7919) => {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at++) bytes[at] = (at * seed) % 251
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return bytes
}
export const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
export const png = pngOf(3000)
export const dataUrl = `data:image/png;base64,${base64(png)}`
export const longBase64 = /[A-Za-z0-9+/]{1000}/

export type Served = Readonly<Record<string, unknown>>

/** A server that answers each request with one of these messages, streamed as these deltas when asked to. */
export async function serving(...replies: readonly (Served | readonly Served[])[]) {
  const requests: { messages: AssistantMessage[] }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    const reply = replies[requests.length] ?? { role: 'assistant', content: 'Nothing left.' }
    requests.push(JSON.parse(body))
    if (!Array.isArray(reply)) {
      const choices = [{ index: 0, message: { role: 'assistant', ...reply }, finish_reason: 'stop' }]
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ choices }))
      return
    }
    response.setHeader('content-type', 'text/event-stream')
    for (const [at, delta] of reply.entries()) {
      const reason = at === reply.length - 1 ? 'stop' : null
      const choices = [{ index: 0, delta, finish_reason: reason }]
      response.write(`data: ${JSON.stringify({ object: 'chat.completion.chunk', choices })}\n\n`)
    }
    response.end('data: [DONE]\n\n')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const model = chatModel('painter', { baseURL: `http://127.0.0.1:${port}/v1`, apiKey: 'none' })
  return { model, requests }
}

export const image = { type: 'image_url', image_url: { url: dataUrl } }

export const samples = pngOf(3000, 13).fill(7, 0, 8)
export const wav = Uint8Array.of(...Buffer.from('RIFF\0\0\0\0WAVE'), ...samples)
