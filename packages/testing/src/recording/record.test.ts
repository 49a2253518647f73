import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  Agent,
  agentTool,
  type ChatModel,
  chatModel,
  type ModelReply,
  type ModelSink,
  safeRepair,
  tool,
  verdict,
} from '@capstan/core'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { startScriptedServer } from '../../../core/test/scripted-server.js'
import { tellings, tells } from '../../../core/test/secrets-told.js'
import { reply } from '../script.js'
import { scriptedModel } from '../scripted-model.js'
import { recordModel, recordRun } from './record.js'
import { replayRun } from './replay-run.js'

const folder = mkdtempSync(join(tmpdir(), 'capstan-recordings-'))
afterAll(() => rmSync(folder, { recursive: true }))

let count = 0
const newFile = () => join(folder, `${++count}.jsonl`)
const linesOf = (file: string) =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
const placesOf = (file: string) =>
  linesOf(file)
    .slice(1)
    .map(({ run, at, ...what }) => `${run} ${at} ${Object.keys(what)[0]}`)

const anything = z.object({ of: z.string() })
const echo = tool({
  name: 'echo',
  description: 'Says it again',
  parameters: anything,
  execute: ({ of }) => of,
})

function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

/** Returns an agent whose concurrent calls end in the given order. */
function racing(order: readonly string[]) {
  const gates = new Map(order.map((name) => [name, gate()]))
  const started = new Set<string>()
  const wait = tool({
    name: 'wait',
    description: 'Waits for its turn',
    parameters: anything,
    async execute({ of }) {
      started.add(of)
      if (started.size === order.length) gates.get(order[0] ?? '')?.open()
      await gates.get(of)?.opened
      gates.get(order[order.indexOf(of) + 1] ?? '')?.open()
      return of
    },
  })
  return new Agent({
    model: scriptedModel([
      reply.calls(...['a', 'b', 'c'].map((of) => reply.call('wait', { of }))),
      reply.text('All are there.'),
    ]),
    tools: [wait],
  })
}

test('a recording is readable JSON lines, in the order of the run', async () => {
  const file = newFile()
  const agent = new Agent({
    model: scriptedModel([reply.call('echo', { of: 'x' }), reply.text('It said x.')]),
    tools: [echo],
  })
  await agent.run('Say x.', recordRun(file))
  expect(linesOf(file)[0]).toEqual({ capstan: 'recording', version: 1 })
  expect(placesOf(file)).toEqual([
    '1 begin begin',
    '1 step0/request request',
    '1 step0/request reply',
    '1 step0/call0 outcome',
    '1 step1/request request',
    '1 step1/request reply',
    '1 end end',
  ])
  // Messages that have already been recorded are not repeated.
  expect(linesOf(file)[5].request.messages).toHaveLength(2)
})

test('ids and rate limits of a response are not recorded', async () => {
  const file = newFile()
  const scripted = scriptedModel([reply.text('Hi.')])
  const model: ChatModel = {
    name: 'm',
    complete: async (request) => ({ ...(await scripted.complete(request)), response: { id: 'chatcmpl-1' } }),
  }
  const { steps } = await new Agent({ model }).run('Hello.', recordRun(file))
  expect(steps[0]?.response).toEqual({ id: 'chatcmpl-1' })
  expect(readFileSync(file, 'utf8')).not.toContain('chatcmpl-1')
})

test('parallel calls give the same file in any order, and in another run', async () => {
  const files = await Promise.all(
    [
      ['a', 'b', 'c'],
      ['c', 'b', 'a'],
      ['b', 'c', 'a'],
    ].map(async (order) => {
      const file = newFile()
      await racing(order).run('Wait.', recordRun(file))
      return readFileSync(file, 'utf8')
    }),
  )
  expect(new Set(files).size).toBe(1)
})

test('requests of child agents are at the call that they answer', async () => {
  const file = newFile()
  const inner = new Agent({
    name: 'inner',
    model: scriptedModel([reply.call('echo', { of: 'x' }), reply.text('x it is')]),
    tools: [echo],
  })
  const model = scriptedModel([reply.call('inner', { input: 'What is it?' }), reply.text('It is x.')])
  await new Agent({ model, tools: [agentTool(inner)] }).run('What is it?', recordRun(file))
  expect(placesOf(file).slice(3)).toEqual([
    '1 step0/call0 outcome',
    '1 step0/child0/step0/request request',
    '1 step0/child0/step0/request reply',
    '1 step0/child0/step1/request request',
    '1 step0/child0/step1/request reply',
    '1 step0/child0 outcome',
    '1 step1/request request',
    '1 step1/request reply',
    '1 end end',
  ])
})

test('separates several runs, also concurrent ones, and a resumed run is another run', async () => {
  const file = newFile()
  const options = recordRun(file)
  const ask = tool({ name: 'ask', description: 'Asks', parameters: anything })
  const agent = new Agent({
    model: scriptedModel([reply.call('ask', { of: 'x' }), reply.text('Thanks.')]),
    tools: [ask],
  })
  const { state, pending = [] } = await agent.run('Ask me.', options)
  const decisions = Object.fromEntries(
    pending.map(({ callId }) => [callId, { type: 'result' as const, value: 'y' }]),
  )
  await agent.run(state, { ...options, decisions })
  await Promise.all([
    racing(['a', 'b', 'c']).run('Wait.', options),
    racing(['c', 'a', 'b']).run('Wait.', options),
  ])
  expect(placesOf(file).filter((place) => place.endsWith(' end'))).toEqual([
    '1 end end',
    '2 end end',
    '3 end end',
    '4 end end',
  ])
  const resumed = linesOf(file).filter((line) => line.run === 2)
  expect(resumed.find((line) => line.begin).begin.state.messages).toHaveLength(2)
  expect(resumed.find((line) => line.outcome).outcome.came).toMatchObject({ status: 'ok', content: 'y' })
})

test('explains the run: failures, repairs, limits, repetitions', async () => {
  const file = newFile()
  const same = () => reply.call('echo', { of: 'x' })
  const model = scriptedModel(
    [
      reply.fail('rate_limit'),
      reply.call('echo', '```json\n{"of": "y"}\n```'),
      same(),
      same(),
      same(),
      reply.text('Enough.'),
    ],
    { retries: 1 },
  )
  await new Agent({ model, tools: [echo], repair: safeRepair, limits: { steps: 4 } }).run(
    'Go.',
    recordRun(file),
  )
  const told = linesOf(file).flatMap(({ event, reply, at }) =>
    event ? [`${at} ${event.type}`] : reply?.retries ? [`${at} retry`] : [],
  )
  expect(told).toEqual([
    'step0/request retry',
    'step0/call0 repair-applied',
    'step2/end stuck-detected',
    'step3/end stuck-detected',
    'step3/end limit-reached',
  ])
  expect(linesOf(file).at(-1).end).toMatchObject({ stopReason: 'limit', limit: 'steps', steps: 5 })
})

test('a failed run ends as error, with its cause', async () => {
  const file = newFile()
  await expect(
    new Agent({ model: scriptedModel([reply.fail('auth')]) }).run('Hi', recordRun(file)),
  ).rejects.toThrow()
  expect(placesOf(file)).toEqual([
    '1 begin begin',
    '1 step0/request request',
    '1 step0/request failure',
    '1 end end',
  ])
  expect(linesOf(file)[3].failure.code).toBe('auth')
})

test('an aborted run ends as aborted, without its aborted request', async () => {
  const file = newFile()
  const controller = new AbortController()
  const model = scriptedModel([
    () => {
      controller.abort()
      return reply.text('too late')
    },
  ])
  await new Agent({ model }).run('Hi', { ...recordRun(file), signal: controller.signal })
  expect(placesOf(file)).toEqual(['1 begin begin', '1 end end'])
})

describe('the file contains no part of a key', () => {
  const key = 'q7Zr-4kWm2_XvB9tLd0sYhN6'
  const name = 'CAPSTAN_TEST_API_KEY'
  afterEach(() => {
    delete process.env[name]
  })

  for (const [how, told] of Object.entries(tellings(key)))
    test(`in a tool, the input, the instructions and the model, given ${how}`, async () => {
      process.env[name] = key
      const file = newFile()
      const leak = tool({
        name: 'leak',
        description: `Leaks ${told}`,
        parameters: anything,
        execute: () => ({ told, [told]: 1 }),
      })
      const break_ = tool({
        name: 'break',
        description: 'Breaks',
        parameters: anything,
        execute: () => {
          throw new Error(`cannot log in with ${told}`)
        },
      })
      const model = scriptedModel([
        reply.calls(
          reply.call('leak', { of: told }),
          reply.call('break', { of: 'x' }),
          reply.call('leak', { wrong: told }),
        ),
        reply.text(`It says ${told}.`),
      ])
      const agent = new Agent({
        model,
        tools: [leak, break_],
        instructions: `Use ${told}`,
        settings: { note: told },
      })
      const run = agent.stream(`My key: ${told}`, recordRun(file))
      await run.result
      const written = readFileSync(file, 'utf8')
      expect(written.split('\n').length).toBeGreaterThan(8)
      expect(tells(written, key), written).toBe(false)
    })

  test('split between two deltas of text, reasoning and arguments', async () => {
    process.env[name] = key
    const file = newFile()
    const [begin, end] = [key.slice(0, 11), key.slice(11)]
    const model = {
      name: 'm',
      async complete(_: unknown, sink?: ModelSink): Promise<ModelReply> {
        for (const piece of [begin, end]) sink?.({ type: 'reasoning', text: piece })
        for (const piece of [begin, end]) sink?.({ type: 'text', text: piece })
        for (const piece of [`{"of":"${begin}`, `${end}"}`])
          sink?.({ type: 'call', index: 0, name: 'x', arguments: piece })
        return { message: { role: 'assistant', content: key } }
      },
    }
    await new Agent({ model }).stream('Hi', recordRun(file)).result
    const [, , , { reply }] = linesOf(file)
    expect(reply.deltas).toHaveLength(3)
    const pieces = reply.deltas.map((one: string | { reasoning?: string; arguments?: string }) =>
      typeof one === 'string' ? one : (one.reasoning ?? one.arguments),
    )
    expect(tells(pieces.join(''), key)).toBe(false)
    expect(tells(readFileSync(file, 'utf8'), key)).toBe(false)
  })

  test('sent in a header, repeated by the server and its retries', async () => {
    const file = newFile()
    const refusal = { status: 429, body: { error: { message: `slow down, ${key}` } } }
    await using server = await startScriptedServer([
      refusal,
      { status: 401, body: { error: { message: `Incorrect API key provided: ${key}` } } },
    ])
    const headers = { 'x-team': 'another-s3cret-of-the-team' }
    const model = chatModel('m', { ...server, apiKey: key, headers })
    const agent = new Agent({
      model,
      tools: [echo],
      instructions: `The team is another-s3cret-of-the-team, the key ${key}`,
    })
    await agent.run('Hi', recordRun(file)).catch(() => {})
    expect(server.requests.length).toBe(2)
    const written = readFileSync(file, 'utf8')
    expect(written).toContain('slow down')
    expect(tells(written, key)).toBe(false)
    expect(tells(written, headers['x-team'])).toBe(false)
  })

  test('in a policy, a wait and a resumed state', async () => {
    const file = newFile()
    const options = recordRun(file, { secrets: [key] })
    const ask = tool({ name: 'ask', description: 'Asks', parameters: anything })
    const agent = new Agent({
      model: scriptedModel([
        reply.calls(reply.call('echo', { of: key }), reply.call('ask', { of: key })),
        reply.text('Done.'),
      ]),
      tools: [echo, ask],
      policy: ({ name }) => (name === 'echo' ? verdict.deny(`not with ${key}`) : { type: 'allow' }),
    })
    const { state, pending = [] } = await agent.run(`With ${key}`, options)
    const decisions = Object.fromEntries(
      pending.map(({ callId }) => [callId, { type: 'result' as const, value: key }]),
    )
    await agent.run(state, { ...options, decisions })
    expect(tells(readFileSync(file, 'utf8'), key)).toBe(false)
  })
})

describe('a model of the recorded run', () => {
  const own = scriptedModel([])
  const agent = new Agent({ name: 'lead', model: own, tools: [echo] })

  test('replaces that of the agent, and is recorded', async () => {
    const file = newFile()
    const model = scriptedModel([reply.call('echo', { of: 'x' }), reply.text('Done.')], { name: 'other' })
    const result = await agent.run('Go', recordRun(file, { model }))
    expect(result.text).toBe('Done.')
    expect(model.requests).toHaveLength(2)
    expect(own.requests).toEqual([])
    expect(linesOf(file)[2].request.model).toBe('other')
    const [again] = await replayRun(file, { agent })
    expect(again?.text).toBe('Done.')
  })

  test('may be a function of the agent', async () => {
    const file = newFile()
    const models = new Map([
      [
        'boss',
        scriptedModel([reply.call('lead', { input: 'Help' }), reply.text('Helped.')], { name: 'first' }),
      ],
      ['lead', scriptedModel([reply.text('Here.')], { name: 'second' })],
    ])
    const boss = new Agent({ name: 'boss', model: own, tools: [agentTool(agent, { description: 'Helps' })] })
    const options = recordRun(file, { model: (given, name) => models.get(name) ?? given })
    expect((await boss.run('Go', options)).text).toBe('Helped.')
    const asked = linesOf(file).flatMap(({ request }) => (request ? [request.model] : []))
    expect(asked).toEqual(['first', 'second', 'first'])
  })

  test('must be a model', () => {
    // @ts-expect-error: a name is not a model
    expect(() => recordRun(newFile(), { model: 'gpt-5-mini' })).toThrow(
      'recordRun: model is a string, not a ChatModel',
    )
  })
})

const untypedRun = recordRun as (...given: unknown[]) => unknown
const untypedModel = recordModel as (...given: unknown[]) => unknown

test.each<[string, () => unknown, string]>([
  [
    'a model in place of the options',
    () => untypedRun(newFile(), scriptedModel([])),
    'recordRun has no option "',
  ],
  ['a name in place of a model', () => untypedRun(newFile(), { model: 'gpt-5' }), 'recordRun: model is a'],
  ['no path', () => untypedRun({ file: 'a.jsonl' }), 'Use recordRun(file, options).'],
  [
    'the arguments in another order',
    () => untypedModel(scriptedModel([]), newFile()),
    'Use recordModel(file, model).',
  ],
  ['no model', () => untypedModel(newFile()), 'recordModel: model is undefined, not a ChatModel.'],
])('%s is refused at once', (_, record, message) => {
  expect(record).toThrow(
    expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(message) }),
  )
})

test('a file that cannot be written is told once when the caller asks for it, and the run goes on', async () => {
  const inTheWay = newFile()
  writeFileSync(inTheWay, '')
  const told: string[] = []
  const onWriteError = ({ message }: Error) => void told.push(message)
  using recorded = recordRun(join(inTheWay, 'run.jsonl'), { onWriteError })
  const result = await new Agent({ model: scriptedModel([reply.text('Hi.')]) }).run('Hello', recorded)
  expect(result.text).toBe('Hi.')
  expect(told).toEqual([expect.stringContaining('Cannot record into')])
})
