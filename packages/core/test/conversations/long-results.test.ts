import { expect, test } from 'vitest'
import * as z from 'zod'
import {
  Agent,
  agentTool,
  allowOnly,
  type ChildToolOptions,
  jsonSchema,
  memoryArtifacts,
  tool,
} from '../../src/index.js'
import { call, calls } from '../run-control/scenario.js'
import { throughJson } from '../run-control/soundness.js'
import { type Line, type StrictServer, startStrictServer } from '../run-control/strict-server.js'

const text = Array.from({ length: 500 }, (_, n) => `line ${n}`).join('\n')
const book = tool({
  name: 'book',
  description: 'A long text',
  parameters: z.object({}),
  maxResultBytes: 400,
  execute: () => text,
})
const gate = tool({
  name: 'gate',
  description: 'Needs a yes',
  parameters: z.object({}),
  needsApproval: true,
  execute: () => 'open',
})
const namesOf = ({ requests }: StrictServer) =>
  requests.map(({ body }) =>
    ((body.tools ?? []) as { function: { name: string } }[]).map((one) => one.function.name),
  )
/** Reads the artifact that the last result names. */
const readOn = (server: () => StrictServer): Line => {
  const last = server().requests.at(-1)?.body.messages.at(-1)?.content
  const id = /txt_\w+/.exec(String(last))?.[0]
  return calls(call('read_artifact', { artifact: id, from: 4000 }))
}

test('offers read_artifact from the first request that needs it', async () => {
  await using server = await startStrictServer((_, n) =>
    n === 0 ? calls(call('book')) : n === 1 ? readOn(() => server) : { text: 'Read.' },
  )
  const { toolCalls, artifacts } = await new Agent({ model: server.model, tools: [book] }).run('Go.')
  expect(namesOf(server)).toEqual([['book'], ['book', 'read_artifact'], ['book', 'read_artifact']])
  expect(toolCalls[1]).toMatchObject({
    name: 'read_artifact',
    status: 'ok',
    result: { from: 4000, to: text.length },
  })
  // It is how the model reads, and nothing that was made.
  expect(artifacts).toEqual([])
})

test('a read_artifact tool of the user takes precedence', async () => {
  const own = tool({
    name: 'read_artifact',
    description: 'Reads in another way',
    parameters: jsonSchema({ type: 'object' }),
    execute: () => 'read in another way',
  })
  await using server = await startStrictServer((_, n) =>
    n === 0 ? calls(call('book')) : n === 1 ? readOn(() => server) : { text: 'Read.' },
  )
  const { toolCalls } = await new Agent({ model: server.model, tools: [book, own] }).run('Go.')
  expect(toolCalls[1]).toMatchObject({ result: 'read in another way' })
  expect(namesOf(server)[2]).toEqual(['book', 'read_artifact'])
})

test('a resumed state still offers it', async () => {
  await using server = await startStrictServer((_, n) =>
    n === 0 ? calls(call('book'), call('gate')) : n === 1 ? readOn(() => server) : { text: 'Read.' },
  )
  const artifacts = memoryArtifacts()
  const agent = () => new Agent({ model: server.model, tools: [gate, book], artifacts })
  const asked = await agent().run('Go.')
  const decisions = { call_0_1: { type: 'deny', reason: 'no' } as const }
  await agent().run(throughJson(asked.state), { decisions })
  expect(namesOf(server)[1]).toEqual(['gate', 'book', 'read_artifact'])
})

test('policies apply to it, and readOnly allows it', async () => {
  await using server = await startStrictServer((_, n) =>
    n === 0 ? calls(call('book')) : n === 1 ? readOn(() => server) : { text: 'Well.' },
  )
  const policy = allowOnly(['book'])
  const { toolCalls } = await new Agent({ model: server.model, tools: [book], policy }).run('Go.')
  expect(toolCalls[1]).toMatchObject({ status: 'denied' })
})

/** An agent that is asked once by another one, and says `said`. */
async function asked(said: string, options: ChildToolOptions<'worker'>, artifacts = memoryArtifacts()) {
  await using server = await startStrictServer([
    calls(call('worker', { input: 'Tell.' })),
    { text: said },
    { text: 'I see.' },
  ])
  const { model } = server
  const worker = agentTool(new Agent({ name: 'worker', model }), { name: 'worker', ...options })
  const result = await new Agent({ model, tools: [worker], artifacts }).run('Go.')
  return {
    result,
    artifacts,
    names: namesOf(server),
    told: server.requests[2]?.body.messages.at(-1)?.content,
  }
}

test('truncates a long agent result for its caller, who can read all of it', async () => {
  const { result, artifacts, names, told } = await asked(text, { maxResultBytes: 400 })
  expect(told).toMatch(/^line 0\nline 1\n.*characters omitted.*line 499$/s)
  expect(String(told).length).toBeLessThan(600)
  const id = /txt_\w+/.exec(String(told))?.[0] ?? ''
  expect(await new Response(await artifacts.open(id)).text()).toBe(text)
  expect(names[2]).toEqual(['worker', 'read_artifact'])
  expect(result.toolCalls).toMatchObject([{ status: 'ok', result: text }])
  expect(result.artifacts).toEqual([])
})

test("uses the default limit, and none if the agent's text is the run's answer", async () => {
  const long = text.repeat(20)
  expect(String((await asked(long, {})).told).length).toBeLessThan(66_000)
  const { result } = await asked(long, { returnDirect: true })
  expect(result.text).toBe(long)
})

test('an agent result that cannot be stored is an error, and its usage counts', async () => {
  const full = { ...memoryArtifacts(), put: () => Promise.reject(new Error('the disk is full')) }
  const { result, told } = await asked(text, { maxResultBytes: 400 }, full)
  expect(told).toBe('Error: the disk is full')
  expect(result).toMatchObject({ toolCalls: [{ status: 'error' }], usage: { requests: 3 } })
})
