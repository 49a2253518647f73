import { expect, test } from 'vitest'
import { limitMessages } from './transport.js'

const context = (pieces: readonly string[], type: string) =>
  limitMessages(async () => {
    const left = [...pieces]
    const body = new ReadableStream({
      pull(out) {
        const piece = left.shift()
        if (piece === undefined) out.close()
        else out.enqueue(new TextEncoder().encode(piece))
      },
    })
    return new Response(body, { status: 201, headers: { 'content-type': type, 'x-a': 'b' } })
  }, 20)

test('short bodies are unchanged', async () => {
  const response = await context(['{"a":', '1}'], 'application/json')('http://localhost/')
  expect([response.status, response.headers.get('x-a'), await response.text()]).toEqual([201, 'b', '{"a":1}'])
})

test('breaks off a body that is too long', async () => {
  const response = await context(['x'.repeat(15), 'x'.repeat(15)], 'application/json')('http://localhost/')
  await expect(response.text()).rejects.toThrow('more than 20 bytes')
})

test.each(['\n\n', '\r\n\r\n'])(
  'a stream of short events may be long, with events ended by %j',
  async (end) => {
    const events = Array.from({ length: 50 }, (_, at) => `data: ${at}${end}`)
    const response = await context(events, 'text/event-stream; charset=utf-8')('http://localhost/')
    expect(await response.text()).toBe(events.join(''))
  },
)

test('an event that is too long breaks off the stream after earlier events', async () => {
  const pieces = ['data: 1\n\n', 'data: ', 'x'.repeat(30)]
  const response = await context(pieces, 'text/event-stream')('http://localhost/')
  const heard: string[] = []
  const read = async () => {
    for await (const piece of response.body ?? []) heard.push(new TextDecoder().decode(piece))
  }
  await expect(read()).rejects.toThrow('more than 20 bytes')
  expect(heard[0]).toBe('data: 1\n\n')
})

test('a response without a body stays without one', async () => {
  const response = await limitMessages(
    async () => new Response(null, { status: 204 }),
    1,
  )('http://localhost/')
  expect(response.body).toBeNull()
})
