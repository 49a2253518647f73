import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { nodeFetch } from './node-fetch.js'

const awkward = [
  'a',
  'ä ö €',
  'a"b',
  'a\r\nContent-Type: text/html\r\n\r\nevil',
  'a\nb',
  'a\rb',
  '\\"; name="y',
  '\ud800',
  'a;b=c',
  '%22',
]

/** Received bytes of a form, with a fixed boundary. */
async function arrivedBy(send: typeof fetch, form: FormData): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  })
  const sent = send(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    method: 'POST',
    body: form,
  })
  const [request, response] = await once(server, 'request')
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  response.end()
  await (await sent).text()
  const [, boundary = ''] =
    /^multipart\/form-data; boundary=(\S+)$/.exec(request.headers['content-type']) ?? []
  const body = Buffer.concat(chunks)
  expect(Number(request.headers['content-length'])).toBe(body.length)
  return body.toString('latin1').replaceAll(boundary, 'boundary')
}

test('sends the same bytes as the built-in fetch for any names and types', async () => {
  const form = new FormData()
  for (const text of awkward) {
    form.append(text, text)
    form.append(text, new File([text], text, { type: text }))
    form.append(text, new Blob(['']))
  }
  const ours = await arrivedBy(nodeFetch, form)
  expect(ours).toBe(await arrivedBy(fetch, form))
  expect(ours).not.toContain('name="a\r\n')
})
