import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Upstream } from './start-upstream.js'

interface Served {
  readonly origin: string
  readonly upstream: Upstream
}

type Check = (served: Served) => Promise<void>

const headers = { authorization: 'Bearer user-ann', 'content-type': 'application/json' }
const messages = [{ role: 'user', content: 'Hi' }]

/** The checks for a host, over sockets. */
export const checks: Readonly<Record<string, Check>> = {
  async 'nobody is answered without a yes'({ origin }) {
    equal((await soon(fetch(`${origin}/agent/v1/models`))).status, 401)
  },

  async 'a chat is answered whole'({ origin, upstream }) {
    const answer = post(`${origin}/agent/v1/chat/completions`, { model: 'helper', messages })
    ;(await soon(upstream.gate())).open()
    const { choices } = await (await soon(answer)).json()
    equal(choices[0].message.content, 'First, then last.')
  },

  async 'a chat is streamed: the first words arrive before the last are said'({ origin, upstream }) {
    const response = await soon(
      post(`${origin}/agent/v1/chat/completions`, { model: 'helper', messages, stream: true }),
    )
    const reader = toReader(response)
    const seen = await reader.until('First')
    ok(!seen.includes('last'))
    ;(await soon(upstream.gate())).open()
    match(await reader.until('[DONE]'), /then last/)
  },

  async 'events are streamed, and read again when the run is over'({ origin, upstream }) {
    const response = await soon(post(`${origin}/agent/runs`, { input: 'Hi' }))
    ;(await soon(upstream.gate())).open()
    const events = await toReader(response).until('event: result')
    match(events, /First, then last/)
    const again = await soon(
      fetch(`${origin}/agent/runs/${response.headers.get('x-run-id')}/events`, { headers }),
    )
    match(await toReader(again).until('event: result'), /First, then last/)
  },

  async 'events of a run that goes on are read by another request'({ origin, upstream }) {
    const response = await soon(post(`${origin}/agent/runs`, { input: 'Hi' }))
    const reader = toReader(response)
    await reader.until('First')
    const path = `${origin}/agent/runs/${response.headers.get('x-run-id')}/events`
    const second = toReader(await soon(fetch(path, { headers })))
    await second.until('First')
    ;(await soon(upstream.gate())).open()
    await Promise.all([reader.until('event: result'), second.until('event: result')])
  },

  async 'a client that hangs up aborts a streamed run'({ origin, upstream }) {
    const client = new AbortController()
    await soon(post(`${origin}/agent/runs`, { input: 'Hi' }, client.signal))
    const gate = await soon(upstream.gate())
    client.abort()
    await soon(gate.left)
  },

  async 'a client that hangs up aborts a run that it waits for'({ origin, upstream }) {
    const client = new AbortController()
    const answer = post(`${origin}/agent/runs`, { input: 'Hi', stream: false }, client.signal)
    answer.catch(() => {})
    const gate = await soon(upstream.gate())
    client.abort()
    try {
      await soon(gate.left)
    } finally {
      gate.open()
    }
  },

  async 'a body of 100 MB that says so is refused early'({ origin }) {
    await refusedEarly(`${origin}/agent/runs`, { ...headers, 'content-length': String(100 * 2 ** 20) })
  },

  async 'a body of 100 MB that does not say so is refused early'({ origin }) {
    await refusedEarly(`${origin}/agent/runs`, headers)
  },

  async 'an artifact is sent in parts, to a later request'({ origin }) {
    const made = await soon(post(`${origin}/agent/runs`, { input: 'Record.', stream: false }))
    const { artifacts } = await made.json()
    const path = `${origin}/agent/artifacts/${artifacts[0].id}`
    const part = await soon(fetch(path, { headers: { ...headers, range: 'bytes=10-19' } }))
    equal(part.status, 206)
    equal(part.headers.get('content-range'), 'bytes 10-19/1000')
    deepEqual(
      new Uint8Array(await soon(part.arrayBuffer())),
      new Uint8Array(10).map((_, at) => at + 10),
    )
  },

  async 'a model is asked over the network'({ origin }) {
    const body = { model: 'relay', messages }
    for (const stream of [false, true]) {
      const response = await soon(post(`${origin}/agent/v1/chat/completions`, { ...body, stream }))
      match(await soon(response.text()), /From upstream/)
    }
  },

  async 'an agent that is silent for 20 s is waited for'({ origin, upstream }) {
    const reader = toReader(await soon(post(`${origin}/agent/runs`, { input: 'Hi' })))
    const first = await soon(upstream.gate())
    const whole = post(`${origin}/agent/runs`, { input: 'Hi', stream: false })
    const second = await soon(upstream.gate())
    await pause(20_000)
    first.open()
    second.open()
    await reader.until('event: result')
    equal((await soon(whole)).status, 200)
  },
}

function post(url: string, body: object, signal: AbortSignal | null = null): Promise<Response> {
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal })
}

/** What does not come within 5 s does not come. */
async function soon<T>(promise: Promise<T>): Promise<T> {
  const over = new AbortController()
  const late = pause(5000, undefined, { signal: over.signal }).then(() => {
    throw new Error('it took more than 5 s')
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    over.abort()
    late.catch(() => {})
  }
}

function toReader(response: Response) {
  equal(response.status, 200)
  const pieces = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let seen = ''
  return {
    async until(words: string): Promise<string> {
      while (!seen.includes(words)) {
        const piece = await soon(Promise.resolve(pieces?.read()))
        if (!piece || piece.done) throw new Error(`it ended after ${JSON.stringify(seen.slice(-200))}`)
        seen += piece.value
      }
      return seen
    },
  }
}

/** Sends up to 100 MB, and stops at a response or when the host stops reading. */
async function refusedEarly(url: string, headers: Record<string, string>): Promise<void> {
  const piece = Buffer.alloc(2 ** 16, ' ')
  let sent = 0
  const status = await soon(
    new Promise<number | undefined>((resolve) => {
      const outgoing = request(url, { method: 'POST', headers }, (response) => {
        resolve(response.statusCode)
        outgoing.destroy()
      })
      const write = () => {
        if (outgoing.destroyed || sent >= 100 * 2 ** 20) return
        sent += piece.length
        outgoing.write(piece, () => setImmediate(write))
      }
      outgoing.on('error', () => resolve(undefined))
      write()
    }),
  )
  ok(status === 413 || status === undefined, `it was answered with ${status}`)
  ok(sent < 10 * 2 ** 20, `${sent} bytes were sent`)
}
