import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, agentTool, type ChatModel, type ModelRequest, tool } from '@capstan/core'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { reply } from '../script.js'
import { scriptedModel } from '../scripted-model.js'
import { compareRuns } from './compare-runs.js'
import { forkRun } from './fork-run.js'
import { recordRun } from './record.js'

const folder = mkdtempSync(join(tmpdir(), 'fork-run-'))
afterAll(() => rmSync(folder, { recursive: true }))
let count = 0
const newFile = () => join(folder, `${++count}.jsonl`)

/** The effects of functions that really ran. */
const ledger: string[] = []
beforeEach(() => {
  ledger.length = 0
})
const city = z.object({ city: z.string() })
const weather = tool({
  name: 'get_weather',
  description: 'Weather',
  parameters: city,
  effects: 'read',
  execute: ({ city }) => {
    ledger.push(`weather ${city}`)
    return { city, degrees: -2 }
  },
})
const book = tool({
  name: 'book',
  description: 'Books',
  parameters: city,
  execute: ({ city }) => {
    ledger.push(`book ${city}`)
    return { booked: city }
  },
})
const tools = [weather, book]

const script = () => [
  reply.call('get_weather', { city: 'Oslo' }),
  reply.call('book', { city: 'Oslo' }),
  reply.text('Booked Oslo.'),
]

/** Returns a model that stores its requests and sends these replies. */
function asked(
  ...replies: Parameters<typeof scriptedModel>[0]
): ChatModel & { readonly requests: ModelRequest[] } {
  const inner = scriptedModel(replies)
  const requests: ModelRequest[] = []
  return {
    ...inner,
    requests,
    complete: (request, sink) => {
      requests.push({ ...request, messages: [...request.messages] })
      return inner.complete(request, sink)
    },
  }
}

async function record(stream = false): Promise<string> {
  const file = newFile()
  const agent = new Agent({ model: scriptedModel(script()), tools, instructions: 'Be kind.' })
  using recorded = recordRun(file)
  if (stream) await agent.stream('Travel!', recorded).result
  else await agent.run('Travel!', recorded)
  ledger.length = 0
  return file
}

const agentWith = (model: ChatModel) => new Agent({ model, tools, instructions: 'Be kind.' })

describe('no effect is repeated', () => {
  test.each([0, 1, 2])('with nothing changed, forked at step %d', async (at) => {
    const file = await record()
    const model = asked()
    const result = await forkRun(file, { at, agent: agentWith(model) })
    expect(result.text).toBe('Booked Oslo.')
    expect(model.requests).toEqual([])
    expect(ledger).toEqual([])
  })

  test.each([0, 1, 2])('when a model asks for the same calls again, from step %d on', async (at) => {
    const file = await record()
    const model = asked(...script().slice(at))
    const result = await forkRun(file, { at, agent: agentWith(model), ask: 'all', effects: 'run' })
    expect(result.text).toBe('Booked Oslo.')
    expect(model.requests).toHaveLength(3 - at)
    expect(ledger).toEqual([])
  })

  test('a second call of the same kind is another call', async () => {
    const file = await record()
    const model = asked(
      reply.call('book', { city: 'Oslo' }),
      reply.call('book', { city: 'Oslo' }),
      reply.text('Twice.'),
    )
    await forkRun(file, { at: 1, agent: agentWith(model), ask: 'all', effects: 'run' })
    expect(ledger).toEqual(['book Oslo'])
  })

  test('a new call that may change something waits; one that only reads runs', async () => {
    const file = await record()
    const model = asked(
      reply.calls(reply.call('get_weather', { city: 'Rome' }), reply.call('book', { city: 'Rome' })),
      reply.text('Booked Rome.'),
    )
    const agent = agentWith(model)
    const result = await forkRun(file, { at: 1, agent, ask: 'all' })
    expect(result.stopReason).toBe('pending')
    expect(result.pending).toMatchObject([{ name: 'book', arguments: { city: 'Rome' } }])
    expect(ledger).toEqual(['weather Rome'])
    const [waiting] = result.pending ?? []
    const decisions = { [waiting?.callId ?? '']: { type: 'approve' } } as const
    const end = await agent.run(result.state, { decisions, allowChangedTools: true })
    expect([end.text, ledger]).toEqual(['Booked Rome.', ['weather Rome', 'book Rome']])
  })

  test("`tools: 'run'` runs them behind the fork, and none before it", async () => {
    const file = await record()
    await forkRun(file, { at: 1, agent: agentWith(asked()), tools: 'run', effects: 'run' })
    expect(ledger).toEqual(['book Oslo'])
  })
})

describe('changes', () => {
  test('a result: the model reads it, and the call does not run', async () => {
    const file = await record()
    const model = asked(reply.text('Warm!'))
    const results = { 'step0/call0': { city: 'Oslo', degrees: 31 } }
    const forked = newFile()
    const result = await forkRun(file, { at: 1, agent: agentWith(model), results, file: forked })
    expect(result.text).toBe('Warm!')
    expect(model.requests.map(({ messages }) => messages.at(-1)?.content)).toEqual([
      '{"city":"Oslo","degrees":31}',
    ])
    expect(ledger).toEqual([])
    const { first, pairs } = compareRuns(file, forked)
    expect(first).toMatchObject({ pair: 0, difference: { part: 'results' } })
    expect(pairs.map(({ a, b }) => [a, b])).toEqual([
      [0, 0],
      [1, undefined],
      [2, 1],
    ])
  })

  test('arguments: the call runs with them', async () => {
    const file = await record()
    const model = asked(reply.text('Rome it is.'))
    const args = { [callIdIn(file)]: { city: 'Rome' } }
    await forkRun(file, { at: 1, agent: agentWith(model), arguments: args })
    expect(ledger).toEqual(['weather Rome'])
    expect(model.requests[0]?.messages.at(-1)?.content).toContain('Rome')
  })

  test('a reply: as words, and as calls', async () => {
    const file = await record()
    const words = await forkRun(file, { at: 1, reply: 'I will not.' })
    expect(words.text).toBe('I will not.')
    const model = asked(reply.text('Booked Rome.'))
    const calls = [
      { id: 'own', type: 'function' as const, function: { name: 'book', arguments: '{"city":"Rome"}' } },
    ]
    const message = { role: 'assistant' as const, content: null, tool_calls: calls }
    const result = await forkRun(file, { at: 1, agent: agentWith(model), reply: message, effects: 'run' })
    expect([result.text, ledger]).toEqual(['Booked Rome.', ['book Rome']])
  })

  test('prompt, instructions, settings and model: asked from the step on', async () => {
    const file = await record()
    const system = (model: { requests: ModelRequest[] }) =>
      model.requests.map(({ messages }) => messages[0]?.content)
    const prompted = asked(reply.text('Hello.'))
    await forkRun(file, { at: 0, agent: agentWith(prompted), prompt: 'Stay!' })
    expect(prompted.requests[0]?.messages.at(-1)?.content).toBe('Stay!')
    const later = asked(reply.text('Hello.'))
    await forkRun(file, { at: 2, agent: agentWith(later), prompt: 'Stay!' })
    expect(later.requests[0]?.messages[1]?.content).toBe('Stay!')
    expect(later.requests[0]?.messages).toHaveLength(6)
    const instructed = asked(reply.text('No.'))
    await forkRun(file, { at: 1, agent: agentWith(instructed), instructions: 'Be rude.' })
    expect(system(instructed)).toEqual(['Be rude.'])
    const set = asked(reply.text('Cold.'))
    await forkRun(file, { at: 2, agent: agentWith(set), settings: { temperature: 0 } })
    expect(set.requests[0]?.settings).toEqual({ temperature: 0 })
    const other = asked(reply.text('Other.'))
    const result = await forkRun(file, { at: 2, model: other })
    expect(result.text).toBe('Other.')
    expect(ledger).toEqual([])
  })
})

test('streamed runs are forked as streams, with messages that came on the way', async () => {
  const file = newFile()
  const model = scriptedModel(script())
  const agent = new Agent({ model, tools })
  {
    using recorded = recordRun(file)
    const run = agent.stream('Travel!', recorded)
    run.on('step-end', ({ step }) => {
      if (step === 0) run.send('And quickly.')
    })
    await run.result
  }
  for (const at of [0, 1, 2]) {
    const forked = newFile()
    await forkRun(file, { at, file: forked })
    expect(readFileSync(forked, 'utf8')).toBe(readFileSync(file, 'utf8'))
  }
})

test('a run of agents within agents is the same, and its effects are not repeated', async () => {
  const file = newFile()
  const inner = () =>
    new Agent({
      name: 'inner',
      model: scriptedModel([reply.call('book', { city: 'Oslo' }), reply.text('Booked.')]),
      tools,
    })
  const outer = () =>
    new Agent({
      model: scriptedModel([reply.call('inner', { input: 'Book Oslo' }), reply.text('Done.')]),
      tools: [agentTool(inner())],
    })
  {
    using recorded = recordRun(file)
    await outer().run('Travel!', recorded)
  }
  ledger.length = 0
  for (const at of [0, 1]) {
    const forked = newFile()
    await forkRun(file, { at, agent: outer(), file: forked })
    expect(readFileSync(forked, 'utf8')).toBe(readFileSync(file, 'utf8'))
  }
  expect(ledger).toEqual([])
})

test('a run after an approval is forked with the decision', async () => {
  const file = newFile()
  const asks = tool({
    name: 'pay',
    description: 'Pays',
    parameters: city,
    needsApproval: true,
    execute: () => 'paid',
  })
  const agent = new Agent({
    model: scriptedModel([reply.call('pay', { city: 'Oslo' }), reply.text('Paid.')]),
    tools: [asks],
  })
  {
    using recorded = recordRun(file)
    const first = await agent.run('Pay!', recorded)
    const [waiting] = first.pending ?? []
    const decisions = { [waiting?.callId ?? '']: { type: 'approve' } } as const
    await agent.run(first.state, { ...recorded, decisions })
  }
  await expect(forkRun(file, { at: 1 })).rejects.toThrow(/contains the runs 1, 2/)
  expect((await forkRun(file, { at: 1, run: 2 })).text).toBe('Paid.')
  expect((await forkRun(file, { at: 0, run: 1 })).stopReason).toBe('pending')
})

describe('errors say what there is', () => {
  test.each([
    [{ at: 7 }, 'not_found', /has no step 7. It has steps 0 to 2/],
    [{ at: -1 }, 'invalid_request', /0 or more/],
    [{ at: 1, run: 3 }, 'not_found', /contains no run 3. It contains: 1/],
    [
      { at: 1, results: { nothing: 1 } },
      'not_found',
      /has no call "nothing". Calls before step 1: step0\/call0/,
    ],
    [{ at: 1, results: { 'step1/call0': 1 } }, 'not_found', /Fork at 2 to change it/],
    [{ at: 1, instructions: 'Be rude.' }, 'invalid_request', /there is no model to send it to/],
  ] as const)('%j', async (options, code, message) => {
    const file = await record()
    const failure = forkRun(file, options)
    await expect(failure).rejects.toThrow(message)
    await expect(failure).rejects.toMatchObject({ code })
  })
})

function callIdIn(file: string): string {
  return /"id":"([^"]+)"/.exec(readFileSync(file, 'utf8'))?.[1] ?? ''
}
