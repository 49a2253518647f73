import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, CapstanError, memorySessions, type SessionStore, tool } from '@capstan/core'
import { memoryRunStore, type RunStore } from '@capstan/stores'
import { folderRunStore } from '@capstan/stores/node'
import { reply, type ScriptStep, scriptedModel } from '@capstan/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import type { HandlerOptions } from '../../src/options.js'
import { book, eventsIn, handlerOf, toRequest, weather } from '../requests.js'

async function sharedStore(): Promise<RunStore> {
  const folder = await mkdtemp(join(tmpdir(), 'capstan-runs-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  return folderRunStore(folder)
}

/** Handlers of two processes, with one store and one model. */
async function twoNodes(steps: readonly ScriptStep[], options: Partial<HandlerOptions> = {}) {
  const runs = await sharedStore()
  const model = scriptedModel(steps)
  const errors: unknown[] = []
  const node = (more: Partial<HandlerOptions> = {}) => {
    const agent = new Agent({ name: 'helper', model, tools: [weather, book] })
    const own = { runs, sweepMs: 0, onError: (error: unknown) => errors.push(error), ...options, ...more }
    const handler = handlerOf(agent, own)
    onTestFinished(async () => void (await handler.close()))
    return handler
  }
  return { a: node(), b: node(), node, model, runs, errors }
}

const idOf = (response: Response) => response.headers.get('x-run-id') ?? ''
const seqsIn = (text: string) => eventsIn(text).flatMap(({ id }) => (id === undefined ? [] : [Number(id)]))

/** A tool that adds the key of each call to a list. */
function payInto(paid: string[]) {
  return tool({
    name: 'pay',
    description: 'Pays',
    parameters: z.object({}),
    execute: (_, { idempotencyKey }) => {
      paid.push(idempotencyKey)
      return 'paid'
    },
  })
}

/** Waits until a gate opens. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

describe('two processes with one store', () => {
  test('a run of one is read in the other, while it runs and after it', async () => {
    const { open, opened } = gate()
    const { a, b, errors } = await twoNodes([
      reply.call('get_weather', { city: 'Oslo' }),
      async () => {
        await opened
        return { message: { role: 'assistant', content: 'Four degrees.' } }
      },
    ])
    const first = await a(toRequest('/runs', { body: { input: 'Weather?' } }))
    const path = `/runs/${idOf(first)}/events`
    const reading = b(toRequest(path)).then((response) => response.text())
    open()
    const texts = [await first.text(), await reading, await (await b(toRequest(path))).text()]
    expect(new Set(texts).size).toBe(1)
    const seqs = seqsIn(texts[0] ?? '')
    expect(seqs).toEqual(seqs.map((_, index) => index))
    expect(eventsIn(texts[1] ?? '').at(-1)).toMatchObject({ event: 'result' })
    expect((await b(toRequest(path, { user: 'bob' }))).status).toBe(404)
    expect(errors).toEqual([])
  })

  test('a call that waits after its run has ended is decided in the other, once', async () => {
    const { a, b, errors } = await twoNodes([
      reply.call('book_room', { city: 'Oslo' }, { id: 'c' }),
      reply.text('Booked.'),
    ])
    const ended = await (await a(toRequest('/runs', { body: { input: 'Book.', stream: false } }))).json()
    const path = `/runs/${ended.runId}`
    const info = await (await b(toRequest(path))).json()
    expect(info).toMatchObject({ status: 'pending', pending: [{ callId: 'c', name: 'book_room' }] })
    const decide = (node: typeof a, type: string) =>
      node(toRequest(`${path}/decisions`, { body: { callId: 'c', decision: { type, reason: 'No.' } } }))
    expect((await decide(b, 'approve')).status).toBe(204)
    const text = await (await a(toRequest(`${path}/events`))).text()
    const seqs = seqsIn(text)
    expect(seqs).toEqual(seqs.map((_, index) => index))
    expect(eventsIn(text).at(-1)?.data).toContain('Booked.')
    expect((await decide(a, 'approve')).status).toBe(204)
    const refused = await decide(a, 'deny')
    expect([refused.status, (await refused.json()).error]).toMatchObject([
      409,
      { code: 'already_decided', decision: 'approve', at: expect.any(Number) },
    ])
    expect(errors).toEqual([])
  })

  test('a call that waits in place in one is decided in the other', async () => {
    const { a, b, errors } = await twoNodes([
      reply.call('book_room', { city: 'Oslo' }, { id: 'c' }),
      reply.text('Booked.'),
    ])
    const response = await a(toRequest('/runs', { body: { input: 'Book.', wait: true } }))
    const path = `/runs/${idOf(response)}`
    await expect.poll(async () => (await (await b(toRequest(path))).json()).status).toBe('pending')
    const invalid = { callId: 'c', decision: { type: 'approve', arguments: { city: 5 } } }
    expect((await b(toRequest(`${path}/decisions`, { body: invalid }))).status).toBe(400)
    const body = { callId: 'c', decision: { type: 'approve' } }
    expect((await b(toRequest(`${path}/decisions`, { body }))).status).toBe(204)
    expect(await response.text()).toContain('Booked.')
    expect(errors).toEqual([])
  })

  test('a run of one is aborted in the other', async () => {
    const { opened } = gate()
    const { a, b } = await twoNodes([
      () => opened.then(() => ({ message: { role: 'assistant', content: '' } })),
    ])
    const response = await a(toRequest('/runs', { body: { input: 'Wait.' } }))
    const path = `/runs/${idOf(response)}`
    expect((await b(toRequest(path, { method: 'DELETE' }))).status).toBe(204)
    expect(eventsIn(await response.text()).at(-1)?.data).toContain('"stopReason":"aborted"')
  })

  test('a run of a handler that closes goes on in the other, and its effects come once', async () => {
    const { open, opened } = gate()
    const booked: string[] = []
    const runs = await sharedStore()
    const pay = payInto(booked)
    const model = scriptedModel([
      reply.call('pay', {}),
      async ({ signal }) => {
        signal.throwIfAborted()
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        throw new Error('not reached')
      },
      async () => {
        await opened
        return { message: { role: 'assistant', content: 'Paid.' } }
      },
    ])
    const agent = () => new Agent({ name: 'helper', model, tools: [pay] })
    const sessions = memorySessions()
    const a = handlerOf(agent(), { runs, sessions, sweepMs: 0, onDisconnect: 'finish' })
    const b = handlerOf(agent(), { runs, sessions, sweepMs: 0, onDisconnect: 'finish' })
    onTestFinished(async () => void (await b.close()))
    const response = await a(toRequest('/runs', { body: { input: 'Pay.', session: 's' } }))
    const cut = response.text()
    await expect.poll(() => model.requests.length).toBe(2)
    expect(await a.close()).toEqual({ finished: 0, handedOver: 1, aborted: 0 })
    // The messages of the aborted run are not those of the one that goes on.
    expect(await sessions.list()).toEqual([])
    expect(eventsIn(await cut).at(-1)?.event).not.toBe('result')
    expect((await a(toRequest('/runs', { body: { input: 'More.' } }))).status).toBe(503)
    const reading = b(toRequest(`/runs/${idOf(response)}/events`)).then((again) => again.text())
    open()
    const whole = await reading
    const seqs = seqsIn(whole)
    expect(seqs).toEqual(seqs.map((_, index) => index))
    expect(whole).toContain('event: run-recovered')
    expect(eventsIn(whole).at(-1)?.data).toContain('Paid.')
    expect(booked).toHaveLength(1)
    expect(await sessions.list()).toMatchObject([{ version: 4 }])
  })

  test('a call that has not begun when its handler closes is made by the other', async () => {
    const { open, opened } = gate()
    const shared = await sharedStore()
    let isStarting = false
    const slow: RunStore = {
      ...shared,
      async append(runId, events, after) {
        if (events.some(({ event }) => (event as { type?: string }).type === 'tool-start')) {
          isStarting = true
          await opened
        }
        return shared.append(runId, events, after)
      },
    }
    const paid: string[] = []
    const pay = payInto(paid)
    const model = scriptedModel([reply.call('pay', {}), reply.text('Paid.')])
    const agent = () => new Agent({ name: 'helper', model, tools: [pay] })
    const a = handlerOf(agent(), { runs: slow, sweepMs: 0, onDisconnect: 'finish' })
    const b = handlerOf(agent(), { runs: shared, sweepMs: 0, onDisconnect: 'finish' })
    onTestFinished(async () => void (await b.close()))
    const response = await a(toRequest('/runs', { body: { input: 'Pay.' } }))
    await expect.poll(() => isStarting).toBe(true)
    const closing = a.close()
    open()
    expect(await closing).toEqual({ finished: 0, handedOver: 1, aborted: 0 })
    await response.text()
    expect(paid).toEqual([])
    const whole = await (await b(toRequest(`/runs/${idOf(response)}/events`))).text()
    expect(eventsIn(whole).at(-1)?.data).toContain('Paid.')
    expect(whole).not.toContain('cut_off')
    expect(paid).toHaveLength(1)
  })

  test('a run that ends as its handler closes has finished', async () => {
    const { open, opened } = gate()
    const shared = await sharedStore()
    let isEnding = false
    const runs: RunStore = {
      ...shared,
      async put(runId, entry, version) {
        if (entry.status === 'ended') {
          isEnding = true
          await opened
        }
        return shared.put(runId, entry, version)
      },
    }
    const { node, errors } = await twoNodes([reply.text('Four degrees.')], { runs })
    const a = node()
    const answering = a(toRequest('/runs', { body: { input: 'Weather?', stream: false } }))
    await expect.poll(() => isEnding).toBe(true)
    const closing = a.close()
    open()
    expect(await closing).toEqual({ finished: 1, handedOver: 0, aborted: 0 })
    expect(await (await answering).json()).toMatchObject({ stopReason: 'done', text: 'Four degrees.' })
    expect(errors).toEqual([])
  })

  test.each([
    ['before its messages are in the session', false],
    ['after its messages are in the session', true],
  ])(
    'a run whose process dies with the last step behind it ends in the other: %s',
    async (_, hasAppended) => {
      const shared = await sharedStore()
      const sessions = memorySessions()
      let isDead = false
      const alive = () => {
        if (isDead) throw new CapstanError('invalid_state', 'This process is dead.')
      }
      const dying: RunStore = {
        ...shared,
        async put(runId, entry, version) {
          alive()
          const put = await shared.put(runId, entry, version)
          if (!hasAppended && JSON.stringify(entry.record).includes('"stopReason":"done"')) isDead = true
          return put
        },
        async append(...given) {
          alive()
          return shared.append(...given)
        },
      }
      const dyingSessions: SessionStore = {
        ...sessions,
        async append(...given) {
          alive()
          const version = await sessions.append(...given)
          isDead = true
          return version
        },
      }
      const steps = [reply.call('get_weather', { city: 'Oslo' }), reply.text('Four degrees.')]
      const { node, model, errors } = await twoNodes(steps, { leaseMs: 1000 })
      const a = node({ runs: dying, sessions: dyingSessions, onDisconnect: 'finish' })
      const b = node({ runs: shared, sessions })
      const body = { input: 'Weather?', session: 's' }
      const response = await a(toRequest('/runs', { body }))
      await response.body?.cancel()
      await expect.poll(() => isDead).toBe(true)
      const text = await (await b(toRequest(`/runs/${idOf(response)}/events`))).text()
      expect(eventsIn(text).at(-1)).toMatchObject({ event: 'result' })
      expect(JSON.parse(eventsIn(text).at(-1)?.data ?? '')).toMatchObject({
        ...{ stopReason: 'done', text: 'Four degrees.', stepCount: 2 },
      })
      expect(text).not.toContain('run-recovered')
      expect(model.requests).toHaveLength(2)
      const [{ id = '' } = {}] = await sessions.list()
      const { messages } = await sessions.load(id)
      expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
      expect(messages.at(-1)).toMatchObject({ content: 'Four degrees.', messageId: expect.any(String) })
      expect(errors.filter((error) => !String(error).includes('dead'))).toEqual([])
    },
  )

  test('a call does not begin in a process that has lost its run', async () => {
    const { open, opened } = gate()
    const inner = memoryRunStore()
    let isLost = false
    const runs: RunStore = {
      ...inner,
      isVolatile: false,
      async append(runId, events, afterSeq) {
        const stored = await inner.get(runId)
        if (stored && JSON.stringify(events).includes('"tool-start"')) {
          isLost = true
          const lease = { by: 'another', until: Date.now() + 60_000 }
          await inner.put(runId, { ...stored.entry, lease }, stored.version)
          await opened
        }
        return inner.append(runId, events, afterSeq)
      },
      get(runId) {
        // The process looks who has the run, since it could not renew its lease.
        if (isLost) setTimeout(open)
        return inner.get(runId)
      },
    }
    let begun = 0
    const pay = tool({
      name: 'pay',
      description: 'Pays',
      parameters: z.object({}),
      execute: () => {
        begun += 1
        return 'paid'
      },
    })
    const errors: unknown[] = []
    const agent = new Agent({ name: 'helper', model: scriptedModel([reply.call('pay', {})]), tools: [pay] })
    const onError = (error: unknown) => errors.push(error)
    const handler = handlerOf(agent, { runs, leaseMs: 1000, sweepMs: 0, onDisconnect: 'finish', onError })
    onTestFinished(async () => void (await handler.close()))
    const response = await handler(toRequest('/runs', { body: { input: 'Pay.' } }))
    await response.body?.cancel()
    await expect.poll(() => errors, { timeout: 10_000 }).toMatchObject([{ code: 'conflict' }])
    expect(begun).toBe(0)
  })

  test('a chat is read again in the other at each of its events', async () => {
    const { a, b } = await twoNodes([
      reply.call('get_weather', { city: 'Oslo' }),
      reply.text('Four degrees.'),
    ])
    const message = { id: 'm', role: 'user', parts: [{ type: 'text', text: 'Weather?' }] }
    const first = await a(toRequest('/ui', { body: { id: 'chat', messages: [message] } }))
    const again = await b(toRequest('/ui/chat/stream'))
    expect(again.status).toBe(200)
    const texts = [await first.text(), await again.text()]
    expect(texts[0]).toBe(texts[1])
    await expect.poll(async () => (await b(toRequest('/ui/chat/stream'))).status).toBe(204)
  })
})
