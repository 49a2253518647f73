import { Agent, type Decision, type RunState } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, onTestFinished, test } from 'vitest'
import { mcpTools } from '../src/index.js'
import { serveOlderAsking } from './asking-servers.js'
import { latch } from './latch.js'

const stored = (state: RunState): RunState => JSON.parse(JSON.stringify(state))

const oslo: Decision = { type: 'result', value: { city: 'Oslo' } }

async function connect(url: string) {
  const server = await mcpTools({ url })
  onTestFinished(() => server.close())
  const echo = ({ messages }: { readonly messages: readonly { readonly content?: unknown }[] }) =>
    reply.text(`It said: ${messages.at(-1)?.content}`)
  const { tools } = server
  const begins = new Agent({ model: scriptedModel([reply.call('book', {}, { id: 'c1' }), echo]), tools })
  return { server, begins, resumes: () => new Agent({ model: scriptedModel([echo]), tools }) }
}

const askTwice = async (elicit: (message: string) => Promise<unknown>) =>
  JSON.stringify([await elicit('Which city?'), await elicit('And then?')])

test('a question of a server of 2025 is asked on the open call of a run that waits', async () => {
  const { url, calls } = await serveOlderAsking(askTwice)
  const { begins } = await connect(url)
  const run = begins.stream('Book.', { wait: true })
  const asked: unknown[] = []
  run.on('call-pending', ({ callId, message, kind }) => {
    asked.push([callId, kind, message])
    void run.decide(callId, asked.length === 1 ? oslo : { type: 'deny', reason: 'No.' })
  })
  const { text, toolCalls } = await run.result
  expect(text).toBe('It said: [{"action":"accept","content":{"city":"Oslo"}},{"action":"decline"}]')
  expect(toolCalls).toMatchObject([{ status: 'ok' }])
  expect(asked).toEqual([
    ['c1/question1', 'input', 'Which city?'],
    ['c1/question2', 'input', 'And then?'],
  ])
  expect(calls()).toBe(1)
})

test('the call stays open for an answer in the same process', async () => {
  const { url, calls } = await serveOlderAsking(async (elicit) => JSON.stringify(await elicit('Which city?')))
  const { begins, resumes } = await connect(url)
  const first = await begins.run('Book.')
  expect(first.pending).toMatchObject([{ callId: 'c1/question1', message: 'Which city?' }])
  const decisions = { 'c1/question1': oslo }
  const { text } = await resumes().run(stored(first.state), { decisions })
  expect(text).toBe('It said: {"action":"accept","content":{"city":"Oslo"}}')
  // The same answer, again: the call is over.
  const again = await resumes().run(stored(first.state), { decisions })
  expect(again.text).toMatch(/^It said: Error: The connection ended before the server got the answer/)
  expect(calls()).toBe(1)
})

test('an unattended run declines questions of a server of 2025', async () => {
  const { url } = await serveOlderAsking(askTwice)
  const { begins } = await connect(url)
  const { text } = await begins.run('Book.', { unattended: true })
  expect(text).toBe('It said: [{"action":"decline"},{"action":"decline"}]')
})

test('a run that is aborted while its question waits cancels the call', async () => {
  const over = latch<unknown>()
  const { url } = await serveOlderAsking(async (elicit) => {
    await elicit('Which city?').catch(over.resolve)
    return 'Booked.'
  })
  const { begins } = await connect(url)
  const run = begins.stream('Book.', { wait: true })
  run.on('call-pending', () => run.abort())
  const { stopReason, toolCalls } = await run.result
  expect([stopReason, toolCalls[0]?.status]).toEqual(['aborted', 'cut_off'])
  await over.promise
})

test('a closed connection loses the question', async () => {
  const { url } = await serveOlderAsking(async (elicit) => JSON.stringify(await elicit('Which city?')))
  const { server, begins, resumes } = await connect(url)
  const { state } = await begins.run('Book.')
  await server.close()
  const { text } = await resumes().run(stored(state), { decisions: { 'c1/question1': oslo } })
  expect(text).toMatch(/^It said: Error: /)
})

/** Three calls on one connection, which ask at the same time, and what each run was asked and got. */
async function askedAtOnce(how: { readonly isRelated?: boolean }) {
  const cities = ['Oslo', 'Rome', 'Bergen']
  const begun: string[] = []
  const all = latch()
  const { url } = await serveOlderAsking(async (elicit) => {
    const name = `Call ${begun.length}?`
    begun.push(name)
    if (begun.length === cities.length) all.resolve()
    await all.promise
    return `${name} ${JSON.stringify(await elicit(name))}`
  }, how)
  const server = await mcpTools({ url })
  onTestFinished(() => server.close())
  const run = async (city: string) => {
    const model = scriptedModel([
      reply.call('book', {}, { id: city }),
      ({ messages }) => reply.text(String(messages.at(-1)?.content)),
    ])
    const stream = new Agent({ model, tools: server.tools }).stream('Book.', { wait: true })
    const asked: unknown[] = []
    stream.on('call-pending', ({ callId, message }) => {
      asked.push(message)
      void stream.decide(callId, { type: 'result', value: { city } })
    })
    const { text } = await stream.result
    return { city, asked, text }
  }
  return Promise.all(cities.map(run))
}

test('each of several calls on one connection gets its own question', async () => {
  for (const { city, asked, text } of await askedAtOnce({ isRelated: true })) {
    expect(asked).toHaveLength(1)
    expect(text).toBe(`${asked[0]} {"action":"accept","content":{"city":"${city}"}}`)
  }
})

test('a question that may be of several calls is cancelled, and not shown', async () => {
  for (const { asked, text } of await askedAtOnce({})) {
    expect(asked).toEqual([])
    expect(text).toMatch(/^Call \d\? \{"action":"cancel"\}$/)
  }
})
