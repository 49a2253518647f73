import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, agentTool, chatModel, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { replayRun } from '@capstan/testing/recording'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { runFolder } from '../store/run-folder.js'
import { RunStore } from '../store/run-store.js'
import { keepRun } from './keep-run.js'

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

function newFolder(): string {
  return join(mkdtempSync(join(tmpdir(), 'keep-')), '.capstan', 'studio')
}

const weather = tool({
  name: 'get_weather',
  description: 'Weather of a city',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => {
    console.log('looking at', { city })
    return { city, degrees: -2 }
  },
})

/** Starts a server that sends these replies in turn, and keeps the bodies of the requests. */
async function serve(replies: readonly object[]) {
  const bodies: string[] = []
  const answers: string[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part) => parts.push(part))
    request.on('end', () => {
      bodies.push(Buffer.concat(parts).toString())
      const text = JSON.stringify(replies[bodies.length - 1])
      answers.push(text)
      response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'r1' }).end(text)
    })
  }).listen(0, '127.0.0.1')
  servers.push(server)
  await new Promise((done) => server.once('listening', done))
  const { port } = server.address() as AddressInfo
  return { baseURL: `http://127.0.0.1:${port}/v1`, bodies, answers }
}

const completion = (message: object, reason: string) => ({
  id: 'c',
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: reason }],
  usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
})
const call = (id: string, city: string) => ({
  id,
  type: 'function',
  function: { name: 'get_weather', arguments: JSON.stringify({ city }) },
})

describe('a run over HTTP', async () => {
  const key = 'sk-secret-0123456789abcdef'
  const { baseURL, bodies, answers } = await serve([
    completion({ tool_calls: [call('call_1', 'Oslo')] }, 'tool_calls'),
    completion({ tool_calls: [call('call_2', `Oslo ${key}`)] }, 'tool_calls'),
    completion({ content: 'Cold.' }, 'stop'),
  ])
  const folder = newFolder()
  const print = vi.spyOn(console, 'log').mockImplementation(() => {})
  const agent = new Agent({
    name: 'traveller',
    model: chatModel('m', { baseURL, apiKey: key }),
    tools: [weather],
  })
  const kept = keepRun({ folder, facts: { source: { file: 'agent.ts', version: 3 } } })
  const result = await agent.run('How cold is Oslo?', { ...kept, runId: 'run-1' })
  print.mockRestore()
  const store = new RunStore(folder)

  test('has a summary', async () => {
    expect(result.text).toBe('Cold.')
    expect(await store.get('run-1')).toMatchObject({
      schema: 1,
      id: 'run-1',
      kind: 'run',
      agent: 'traveller',
      title: 'How cold is Oslo?',
      status: 'ended',
      stopReason: 'done',
      rounds: 1,
      steps: 3,
      toolCalls: 2,
      tools: ['get_weather'],
      models: ['m'],
      usage: { totalTokens: 36 },
      source: { file: 'agent.ts', version: 3, program: 'keepRun', pid: process.pid },
    })
  })

  test('has its events with console lines, exchanges and checkpoints, in order', async () => {
    const entries = await store.entries('run-1')
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, at) => at))
    expect(entries[0]).toMatchObject({ round: 1 })
    expect(entries).toContainEqual(
      expect.objectContaining({ console: 'log', text: "looking at { city: 'Oslo' }", callId: 'call_1' }),
    )
    const kinds = entries.map((one) =>
      'event' in one ? one.event.type : 'exchange' in one ? `${one.is} ${one.exchange}` : Object.keys(one)[2],
    )
    expect(kinds.slice(0, 8)).toEqual([
      'round',
      'run-start',
      'step-start',
      'checkpoint',
      'sent 0',
      'headers 0',
      'first-byte 0',
      'ended 0',
    ])
    expect(kinds.at(-1)).toBe('checkpoint')
    expect(entries.filter((one) => 'checkpoint' in one)[1]).toMatchObject({ step: 0, openCalls: 1 })
  })

  test('has its requests and responses byte for byte, without the key', async () => {
    const exchanges = await store.exchanges('run-1')
    expect(exchanges).toMatchObject([
      { number: 0, at: 'step0/request', attempt: 1, status: 200, notes: [] },
      { number: 1, at: 'step1/request', request: { sameAs: { exchange: 0 } } },
      { number: 2, at: 'step2/request', request: { sameAs: { exchange: 1 } } },
    ])
    expect(exchanges[0]?.requestHeaders.authorization).toBe('[redacted]')
    expect(exchanges[0]?.responseHeaders).toMatchObject({ 'x-request-id': 'r1' })
    expect(exchanges[2]?.reply?.message.content).toBe('Cold.')
    const shown = (text: string | undefined) => text?.replaceAll(key, '[redacted]')
    for (const [number] of exchanges.entries()) {
      const request = await store.exchangeBytes('run-1', { number, part: 'request' })
      expect(Buffer.from(request).toString()).toBe(shown(bodies[number]))
      const response = await store.exchangeBytes('run-1', { number, part: 'response' })
      expect(Buffer.from(response).toString()).toBe(shown(answers[number]))
    }
    expect(bodies[2]).toContain(key)
  })

  test('has states as they were, which a run continues', async () => {
    expect(JSON.parse(JSON.stringify(await store.state('run-1')))).toEqual(
      JSON.parse(JSON.stringify(result.state)),
    )
    const entries = await store.entries('run-1')
    const before = entries.findLast((one) => 'checkpoint' in one && one.step === 2 && !one.openCalls)
    const state = await store.state('run-1', before && 'checkpoint' in before ? before.checkpoint : -1)
    expect(state).toMatchObject({ stepCount: 2, pending: [] })
    expect(state.messages).toHaveLength(5)
    const model = scriptedModel([reply.text('Warm.')])
    expect((await agent.run(state, { model, runId: 'fork' })).text).toBe('Warm.')
  })

  test('has a recording that replays', async () => {
    const [recording = ''] = await store.recordings('run-1')
    const [again] = await replayRun(recording, { agent })
    expect(again?.text).toBe('Cold.')
  })

  test('keeps the key in no file but the states, and all files for the owner alone', () => {
    const path = runFolder(folder, 'run-1')
    expect(statSync(path).mode & 0o777).toBe(0o700)
    const names = readdirSync(path)
    expect(names.sort()).toEqual(
      ['checkpoints.jsonl', 'events.jsonl', 'recording.1.jsonl', 'run.json', 'wire.bin', 'wire.jsonl'].sort(),
    )
    for (const name of names) {
      expect(statSync(join(path, name)).mode & 0o777).toBe(0o600)
      const holdsKey = readFileSync(join(path, name), 'utf8').includes(key)
      expect([name, holdsKey]).toEqual([name, name === 'checkpoints.jsonl'])
    }
    expect(readFileSync(join(folder, '..', '.gitignore'), 'utf8')).toBe('*\n')
  })
})

const pay = tool({
  name: 'pay',
  description: 'Pays',
  parameters: z.object({ amount: z.number() }),
  needsApproval: true,
  execute: ({ amount }) => ({ paid: amount }),
})

test('a run that waits and goes on is one run of two rounds', async () => {
  const folder = newFolder()
  const model = scriptedModel([reply.call('pay', { amount: 2 }), reply.text('Paid.')])
  const agent = new Agent({ model, tools: [pay] })
  const first = await agent.run('Pay 2.', { ...keepRun({ folder }), runId: 'r' })
  const store = new RunStore(folder)
  expect(await store.get('r')).toMatchObject({ status: 'pending', rounds: 1, stopReason: 'pending' })
  const [waiting] = first.pending ?? []
  const decisions = { [waiting?.callId ?? '']: { type: 'approve' } } as const
  const second = await agent.run(first.state, { ...keepRun({ folder }), decisions })
  expect(second.text).toBe('Paid.')
  expect(await store.get('r')).toMatchObject({
    status: 'ended',
    stopReason: 'done',
    rounds: 2,
    steps: 2,
    title: 'Pay 2.',
  })
  const entries = await store.entries('r')
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, at) => at))
  expect(entries.filter((one) => 'round' in one)).toMatchObject([{ round: 1 }, { round: 2, decisions }])
  expect(await store.recordings('r')).toHaveLength(2)
  expect((await store.exchanges('r')).map(({ number, url }) => [number, url])).toEqual([
    [0, ''],
    [1, ''],
  ])
  expect(await store.state('r')).toMatchObject({ stopReason: 'done', pending: [] })
  // A new run with the same id is stored separately.
  await new Agent({ model: scriptedModel([reply.text('Hi.')]) }).run('Hello', {
    ...keepRun({ folder }),
    runId: 'r',
  })
  expect((await store.list()).runs.map(({ id }) => id).sort()).toEqual(['r', 'r.2'])
})

test('a failed run is kept with its error, and an aborted one with its end', async () => {
  const folder = newFolder()
  const store = new RunStore(folder)
  const failing = { name: 'f', complete: () => Promise.reject(new Error('No credit')) }
  await expect(
    new Agent({ model: failing }).run('Hi', { ...keepRun({ folder }), runId: 'f' }),
  ).rejects.toThrow()
  expect(await store.get('f')).toMatchObject({
    status: 'failed',
    title: 'Hi',
    error: { message: 'Model "f" failed: No credit' },
  })
  expect(await store.exchanges('f')).toMatchObject([{ error: { message: 'No credit' } }])
  const controller = new AbortController()
  const stops = tool({
    name: 'stop',
    description: 'Stops',
    parameters: z.object({}),
    execute: () => controller.abort(),
  })
  const agent = new Agent({
    model: scriptedModel([reply.call('stop', {}), reply.text('x')]),
    tools: [stops],
  })
  await agent.run('Go', { ...keepRun({ folder }), runId: 'a', signal: controller.signal })
  expect(await store.get('a')).toMatchObject({ status: 'ended', stopReason: 'aborted' })
})

test('a file that is attached as untrusted later is marked in the folder too', async () => {
  const folder = newFolder()
  const store = new RunStore(folder)
  const data = Buffer.from('From a stranger.')
  for (const untrusted of [false, true]) {
    const agent = new Agent({ model: scriptedModel([reply.text('Seen.')]) })
    await agent.run('Here.', { ...keepRun({ folder }), attachments: [{ data, untrusted }] })
    const [kept] = await store.artifacts.list()
    expect(kept?.origin?.taintedBy).toBe(untrusted ? 'attachment' : undefined)
  }
})

test('sub-agents, streamed words and artifacts are kept', async () => {
  const folder = newFolder()
  const draws = tool({
    name: 'draw',
    description: 'Draws',
    parameters: z.object({}),
    execute: async (_, { artifacts }) => {
      console.warn('drawing')
      return artifacts.put(Buffer.from('pixels'), { kind: 'image', mediaType: 'image/png' })
    },
  })
  const painter = new Agent({
    name: 'painter',
    model: scriptedModel([reply.call('draw', {}), reply.text('Drawn.')]),
    tools: [draws],
  })
  const agent = new Agent({
    model: scriptedModel([reply.call('painter', { input: 'A hill' }), reply.text('Here it is.')]),
    tools: [agentTool(painter, { description: 'Paints' })],
  })
  const print = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const run = agent.stream('Draw a hill', {
    ...keepRun({ folder }),
    runId: 's',
    attachments: [{ data: Buffer.from('sketch') }],
  })
  const result = await run.result
  print.mockRestore()
  const store = new RunStore(folder)
  const summary = await store.get('s')
  const stored = (await store.artifacts.list()).map(({ id }) => id as string)
  expect(summary?.artifacts.toSorted()).toEqual(stored.toSorted())
  expect(stored).toHaveLength(2)
  expect(result.artifacts.every(({ id }) => stored.includes(id))).toBe(true)
  const entries = await store.entries('s')
  const [outer] = result.toolCalls
  expect(entries.find((one) => 'console' in one)).toMatchObject({
    console: 'warn',
    callId: expect.stringMatching(`^${outer?.callId}/`),
  })
  const words = entries.flatMap((one) =>
    'event' in one && one.event.type === 'text-delta' ? [one.event] : [],
  )
  expect(
    words
      .filter(({ parentCallId }) => !parentCallId)
      .map(({ text }) => text)
      .join(''),
  ).toBe('Here it is.')
  expect((await store.exchanges('s')).map(({ at }) => at)).toEqual([
    'step0/request',
    'step0/child0/step0/request',
    'step0/child0/step1/request',
    'step1/request',
  ])
})

test('runs side by side are kept apart, with the same options too', async () => {
  const folder = newFolder()
  const kept = keepRun({ folder })
  const runs = ['a', 'b', 'c'].map((id) =>
    new Agent({ model: scriptedModel([reply.text(id)]) }).run(`To ${id}`, { ...kept, runId: id }),
  )
  await Promise.all(runs)
  const { runs: found } = await new RunStore(folder).list()
  expect(found.map(({ id, title, status }) => [id, title, status]).sort()).toEqual([
    ['a', 'To a', 'ended'],
    ['b', 'To b', 'ended'],
    ['c', 'To c', 'ended'],
  ])
})

test('without a folder nothing is kept, and options work as given', async () => {
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(mkdtempSync(join(tmpdir(), 'none-')))
  const seen: string[] = []
  const options = keepRun({
    model: scriptedModel([reply.text('Yes.')]),
    observe: ({ type }) => seen.push(type),
  })
  cwd.mockRestore()
  const result = await new Agent({ model: scriptedModel([reply.text('No.')]) }).run('Well?', options)
  expect(result.text).toBe('Yes.')
  expect(seen).toContain('run-end')
})

test('a folder that cannot be written is one warning, and the run goes on', async () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'full-')), 'studio')
  writeFileSync(folder, 'a file')
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const result = await new Agent({ model: scriptedModel([reply.text('Yes.')]) }).run(
    'Well?',
    keepRun({ folder }),
  )
  expect(result.text).toBe('Yes.')
  expect(warn.mock.calls).toEqual([[expect.stringContaining('kept completely in'), 'StudioWarning']])
  warn.mockRestore()
})

test('a folder that vanishes in the middle of a run marks nothing but the run', async () => {
  const folder = newFolder()
  const breaks = tool({
    name: 'break',
    description: 'Breaks',
    parameters: z.object({}),
    execute: async () => {
      const { rm } = await import('node:fs/promises')
      await rm(runFolder(folder, 'v'), { recursive: true })
      return 'gone'
    },
  })
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const model = scriptedModel([reply.call('break', {}), reply.text('Done.')])
  const result = await new Agent({ model, tools: [breaks] }).run('Go', { ...keepRun({ folder }), runId: 'v' })
  expect(result.text).toBe('Done.')
  expect(warn.mock.calls.length).toBe(1)
  warn.mockRestore()
  expect(existsSync(join(runFolder(folder, 'v'), 'run.json'))).toBe(false)
})
