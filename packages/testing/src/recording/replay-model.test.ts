import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, type ChatModel, tool } from '@capstan/core'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { reply } from '../script.js'
import { scriptedModel } from '../scripted-model.js'
import { recordModel, recordRun } from './record.js'
import { replayModel } from './replay-model.js'

const folder = mkdtempSync(join(tmpdir(), 'capstan-replay-'))
afterAll(() => rmSync(folder, { recursive: true }))
let count = 0
const newFile = () => join(folder, `${++count}.jsonl`)

const name = 'CAPSTAN_TEST_API_KEY'
afterEach(() => {
  delete process.env[name]
})

const parameters = z.object({ of: z.string() })
const echo = tool({ name: 'echo', description: 'Says it again', parameters, execute: ({ of }) => of })
const agentOf = (model: ChatModel, instructions = 'Be kind.') =>
  new Agent({ model, instructions, tools: [echo] })
const conversation = () =>
  scriptedModel(
    [
      reply.fail('rate_limit'),
      reply.calls(reply.call('echo', { of: 'a' }), reply.call('echo', { of: 'b' })),
      reply.text('It said a and b.'),
    ],
    { retries: 1 },
  )

async function recorded(): Promise<string> {
  const file = newFile()
  await agentOf(recordModel(file, conversation())).run('Say a and b.')
  return file
}

test('a replayed model returns the recorded replies', async () => {
  const model = replayModel(await recorded())
  const { text: said, toolCalls, usage } = await agentOf(model).run('Say a and b.')
  expect(said).toBe('It said a and b.')
  expect(toolCalls).toHaveLength(2)
  expect(usage.totalTokens).toBe(30)
  model.assertUsedUp()
})

test('a recording keeps cached tokens and reasoning', async () => {
  const tokens = { inputTokens: 100, cachedInputTokens: 90, cacheWriteTokens: 5, reasoningTokens: 2 }
  const file = newFile()
  await agentOf(recordModel(file, scriptedModel([reply.text('Hi', { tokens })]))).run('Hi')
  const { usage } = await agentOf(replayModel(file)).run('Hi')
  expect(usage).toMatchObject(tokens)
})

test('streams recorded deltas, and whole replies otherwise; reports retries without waiting', async () => {
  const file = newFile()
  const spoken = async (model: ChatModel) => {
    const seen: string[] = []
    const run = agentOf(model).stream('Say a and b.')
    for await (const event of run) {
      if (event.type === 'text-delta') seen.push(event.text)
      if (event.type === 'retry-scheduled') seen.push(event.code)
    }
    return seen
  }
  const first = await spoken(recordModel(file, conversation()))
  expect(first).toEqual(['rate_limit', 'It ', 'said ', 'a ', 'and ', 'b.'])
  expect(await spoken(replayModel(file))).toEqual(first)
  expect(await spoken(replayModel(await recorded()))).toEqual(['rate_limit', 'It said a and b.'])
})

test('requests in another order get their replies', async () => {
  const file = newFile()
  const model = recordModel(file, scriptedModel([reply.text('one'), reply.text('two'), reply.text('three')]))
  for (const input of ['1', '2', '3']) await agentOf(model).run(input)
  const again = agentOf(replayModel(file))
  const texts = await Promise.all(['3', '1', '2'].map(async (input) => (await again.run(input)).text))
  expect(texts).toEqual(['three', 'one', 'two'])
})

test('a recorded failure fails again', async () => {
  const file = newFile()
  const failing = scriptedModel([reply.fail('quota', { message: 'Your credit is used up', status: 402 })])
  await agentOf(recordModel(file, failing))
    .run('Hi')
    .catch(() => {})
  await expect(agentOf(replayModel(file)).run('Hi')).rejects.toMatchObject({
    code: 'quota',
    status: 402,
    message: 'Your credit is used up',
  })
})

describe('an unknown request fails and reports', () => {
  test('the difference', async () => {
    const file = await recorded()
    const run = agentOf(replayModel(file), 'Be brief.').run('Say a and b.')
    await expect(run).rejects.toThrow(
      /recorded at step0\/request:\n- expected\n\+ seen[\s\S]*"Be kind\."[\s\S]*"Be brief\."/,
    )
  })

  test('that it was made more often than recorded', async () => {
    const model = replayModel(await recorded())
    await agentOf(model).run('Say a and b.')
    await expect(agentOf(model).run('Say a and b.')).rejects.toThrow(/more often than it was recorded/)
  })

  test('the recorded requests that were not made', async () => {
    const model = replayModel(await recorded())
    expect(() => model.assertUsedUp()).toThrow(
      /2 of the 2 requests .* were not made: step0\/request, step1\/request/,
    )
  })
})

test('rejects a file without a request', async () => {
  const file = newFile()
  await new Agent({ model: scriptedModel([]) }).run('Go.', {
    ...recordRun(file),
    signal: AbortSignal.abort(),
  })
  expect(() => replayModel(file)).toThrow(/contains no model request/)
  writeFileSync(file, '{"capstan":"recording","version":1}\n')
  expect(() => replayModel(file)).toThrow(/contains no run/)
})

test('a redacted part matches any word: a replay needs no key', async () => {
  const file = newFile()
  const key = 'q7Zr-4kWm2_XvB9tLd0sYhN6'
  process.env[name] = key
  const leak = tool({
    name: 'leak',
    description: 'Leaks',
    parameters,
    execute: () => `key=${process.env[name]};`,
  })
  const make = (model: ChatModel) => new Agent({ model, tools: [leak] })
  await make(recordModel(file, scriptedModel([reply.call('leak', { of: 'x' }), reply.text('Done.')]))).run(
    'Leak it.',
  )
  process.env[name] = 'another'
  expect((await make(replayModel(file)).run('Leak it.')).text).toBe('Done.')
  expect(readFileSync(file, 'utf8')).not.toContain(key)
})

test('the recorded run id becomes the id of the replayed run', async () => {
  const file = newFile()
  const id = tool({
    name: 'id',
    description: 'Tells the id',
    parameters: z.object({}),
    execute: (_, { runId }) => runId,
  })
  const model = scriptedModel([
    reply.call('id'),
    ({ messages }) => reply.text(`It is ${String(messages.at(-1)?.content)}.`),
  ])
  await new Agent({ model: recordModel(file, model), tools: [id] }).run('Which run is this?')
  const { text: said, state } = await new Agent({ model: replayModel(file), tools: [id] }).run(
    'Which run is this?',
  )
  expect(said).toBe(`It is ${state.runId}.`)
})

test('concurrent agents of one process record into their own files', async () => {
  const files = [newFile(), newFile()]
  await Promise.all(files.map((file) => agentOf(recordModel(file, conversation())).run('Say a and b.')))
  const [one, other] = files.map((file) => readFileSync(file, 'utf8'))
  expect(one).toBe(other)
})

test('recording changes nothing, and disposal writes pending lines', async () => {
  const file = newFile()
  const plain = await agentOf(conversation()).run('Say a and b.')
  {
    using model = recordModel(file, conversation())
    const seen = await agentOf(model).run('Say a and b.')
    expect(seen.messages).toEqual(plain.messages)
    expect(seen.usage).toEqual(plain.usage)
  }
  expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(5)
})

test('creates a missing folder; reports a file that cannot be written', async () => {
  const file = join(folder, 'deep', 'er', 'x.jsonl')
  await agentOf(recordModel(file, conversation())).run('Say a and b.')
  expect(replayModel(file).name).toBe('scripted')
  writeFileSync(join(folder, 'file'), '')
  const run = agentOf(recordModel(join(folder, 'file', 'x.jsonl'), conversation())).run('Say a and b.')
  await expect(run).rejects.toThrow(/Cannot record into/)
})

test('a conversation is written once, however long it is', async () => {
  const sizes = await Promise.all(
    [10, 40].map(async (turns) => {
      const file = newFile()
      const steps = Array.from({ length: turns }, (_, at) => reply.call('echo', { of: `word ${at}` }))
      const model = recordModel(file, scriptedModel([...steps, reply.text('Enough.')]))
      await new Agent({ model, tools: [echo], limits: { steps: 100 } }).run('Say many.')
      return readFileSync(file).length
    }),
  )
  const [short = 0, long = 0] = sizes
  expect(long / short).toBeLessThan(4.2)
})
