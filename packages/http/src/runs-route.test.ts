import { Agent, jsonSchema, type Middleware, type RunEvent, tool, verdict } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { describe, expect, test } from 'vitest'
import { waitingAgent } from '../test/pending-agent.js'
import { book, eventsIn, handlerOf, scripted, toRequest } from '../test/requests.js'

describe('decisions on a pending run', () => {
  /** Returns a run in which the call `c` is pending, and a function that decides on it. */
  const waiting = async () => {
    const heard: unknown[] = []
    const steps = [reply.call('book_room', { city: 'Oslo' }, { id: 'c' }), reply.text('Booked.')]
    const handler = handlerOf(scripted(steps), { onError: (error) => heard.push(error) })
    const response = await handler(toRequest('/runs', { body: { input: 'Book.', wait: true } }))
    const path = `/runs/${response.headers.get('x-run-id')}`
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    for (let seen = ''; !seen.includes('call-pending'); ) seen += (await reader?.read())?.value
    const decide = async (decision: object) => {
      const answer = await handler(toRequest(`${path}/decisions`, { body: { callId: 'c', decision } }))
      return [answer.status, await answer.text()] as const
    }
    const end = async () => {
      for (let all = ''; ; ) {
        const { value, done } = (await reader?.read()) ?? {}
        if (done) return all
        all += value
      }
    }
    return { decide, end, heard }
  }

  test('that are not valid are rejected with a message, and the call stays pending', async () => {
    const { decide, end, heard } = await waiting()
    expect(await decide({ type: 'approve', arguments: { city: 5 } })).toEqual([
      400,
      expect.stringContaining('expected string'),
    ])
    expect(await decide({ type: 'deny' })).toEqual([400, expect.stringContaining('needs a reason')])
    expect(await decide({ type: 'approve' })).toEqual([204, ''])
    expect(await end()).toContain('Booked.')
    expect(heard).toEqual([])
  })

  test('that come twice count once', async () => {
    const { decide, end } = await waiting()
    const no = { type: 'deny', reason: 'No.' }
    const both = await Promise.all([decide({ type: 'approve' }), decide(no)])
    expect(both.map(([status]) => status)).toEqual([204, 409])
    expect(JSON.parse(both[1]?.[1] ?? '').error).toMatchObject({
      code: 'already_decided',
      decision: 'approve',
    })
    expect(await end()).toContain('booked in Oslo')
    expect((await decide(no))[0]).toBe(409)
    expect((await decide({ type: 'approve' }))[0]).toBe(204)
  })
})

test('an approval over runs may bring other arguments, which are checked and run in place of those shown', async () => {
  const steps = () => [reply.call('book_room', { city: 'Oslo' }, { id: 'c' }), reply.text('Over.')]
  const decided = async (decision: object) => {
    const results: string[] = []
    const agent = new Agent({
      name: 'helper',
      model: scriptedModel(steps()),
      tools: [book],
      observe: (event) => {
        if (event.type === 'tool-end') results.push(event.content)
      },
    })
    const handler = handlerOf(agent)
    const send = async (body: object) =>
      (await handler(toRequest('/runs', { body: { ...body, stream: false } }))).json()
    const { runId } = await send({ input: 'Book.' })
    return { end: await send({ run: runId, decisions: { c: decision } }), results }
  }
  const other = await decided({ type: 'approve', arguments: { city: 'Bergen' } })
  expect(other).toMatchObject({ end: { text: 'Over.' }, results: ['booked in Bergen'] })
  const unfit = await decided({ type: 'approve', arguments: { town: 'Bergen' } })
  expect(unfit).toMatchObject({ end: { error: { code: 'invalid_arguments' } }, results: [] })
})

test('an approval runs the arguments that were shown, unless a policy now denies the call', async () => {
  const ran: unknown[] = []
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    parameters: jsonSchema({ type: 'object' }),
    needsApproval: true,
    execute: (args) => {
      ran.push(args)
      return 'paid'
    },
  })
  const text10 = '{"amount":1.0e1,"__proto__":{"a":1},"to":"\\u00e9"}'
  let isClosed = false
  const policy = () => (isClosed ? verdict.deny('The account is closed.') : verdict.allow)
  const steps = () => [reply.call('pay', text10, { id: 'c' }), reply.text('Over.')]
  const told: string[] = []
  const observe = (event: RunEvent) => {
    if (event.type === 'tool-end') told.push(event.content)
  }
  const paid = async () => {
    const agent = new Agent({ name: 'helper', model: scriptedModel(steps()), tools: [pay], policy, observe })
    const handler = handlerOf(agent)
    const send = async (body: object) =>
      (await handler(toRequest('/runs', { body: { ...body, stream: false } }))).json()
    const { runId, pending } = await send({ input: 'Pay.' })
    return { pending, end: (decisions: object) => send({ run: runId, decisions }) }
  }
  const first = await paid()
  expect(await first.end({ c: { type: 'approve' } })).toMatchObject({ text: 'Over.' })
  expect(JSON.stringify(ran)).toBe(JSON.stringify([first.pending[0].arguments]))
  const second = await paid()
  isClosed = true
  expect(await second.end({ c: { type: 'approve' } })).toMatchObject({ text: 'Over.' })
  expect(ran).toHaveLength(1)
  expect(told).toEqual(['paid', 'Error: call denied: The account is closed.'])
})

test('closing the handler also aborts runs without a stream', async () => {
  const { agent, asked, over } = waitingAgent()
  const handler = handlerOf(agent)
  const answering = handler(toRequest('/runs', { body: { input: 'Wait.', stream: false } }))
  const other = await handler(toRequest('/runs', { body: { input: 'Wait.' } }))
  await asked
  await handler.close()
  await over
  expect(await (await answering).json()).toMatchObject({ stopReason: 'aborted' })
  await other.body?.cancel()
})

test('a run without a stream has its result when the handler closes, however many events come with its end', async () => {
  const calls = Array.from({ length: 40 }, () => reply.call('wait'))
  let started = 0
  const wait = tool({
    name: 'wait',
    description: 'Waits',
    parameters: jsonSchema({ type: 'object' }),
    execute: (_, { signal }) => {
      started += 1
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
  })
  const model = scriptedModel([reply.calls(...calls)])
  const handler = handlerOf(new Agent({ name: 'waits', model, tools: [wait], concurrency: calls.length }))
  const answering = handler(toRequest('/runs', { body: { input: 'Wait.', stream: false } }))
  await expect.poll(() => started).toBe(calls.length)
  expect(await handler.close()).toEqual({ finished: 0, handedOver: 0, aborted: 1 })
  const response = await answering
  expect([response.status, await response.json()]).toMatchObject([200, { stopReason: 'aborted' }])
})

test('events of middlewares are sent with their data; chat protocols leave them out', async () => {
  const teller: Middleware = {
    name: 'teller',
    beforeModel: ({ messages }, run) =>
      run.emit({ name: 'teller', action: 'look', data: { count: messages.length } }),
  }
  const agent = () =>
    new Agent({ name: 'helper', model: scriptedModel([reply.text('Hi.')]), middleware: [teller] })
  const send = async (path: string, body: object) =>
    (await handlerOf(agent())(toRequest(path, { body }))).text()
  const events = await send('/runs', { input: 'Go.' })
  expect(events).toContain('"type":"middleware","step":0,"name":"teller","action":"look","data":{"count":1}')
  const messages = [{ id: 'm', role: 'user', content: 'Go.', parts: [{ type: 'text', text: 'Go.' }] }]
  const ids = { id: 'chat', threadId: 't', runId: 'r', state: {}, tools: [], context: [], forwardedProps: {} }
  for (const path of ['/ui', '/ag-ui']) {
    const told = await send(path, { ...ids, messages })
    expect(told).toContain('Hi.')
    expect(told).not.toContain('teller')
  }
})

test('the end of a failed run has the code of its error for clients, and not the message', async () => {
  const handler = handlerOf(scripted([reply.fail('auth', { message: 'The key of db.internal is wrong.' })]), {
    onError: () => {},
  })
  const response = await handler(toRequest('/runs', { body: { input: 'Hello' } }))
  const sent = await response.text()
  const end = eventsIn(sent).find(({ event }) => event === 'run-end')
  expect(JSON.parse(end?.data ?? '{}')).toMatchObject({ stopReason: 'error', code: 'auth', message: 'auth' })
  expect(sent).not.toContain('db.internal')
})
