import { expect, test } from 'vitest'
import * as z from 'zod'
import { Agent, allowOnly, jsonSchema, memoryArtifacts, tool } from '../../src/index.js'
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

test('the tool to read on is offered from the request on that needs it', async () => {
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

test('a tool of that name is the one that the user gave', async () => {
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

test('a state that is gone on with offers it still', async () => {
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

test('policies hold for it, and it may run where only reading is left', async () => {
  await using server = await startStrictServer((_, n) =>
    n === 0 ? calls(call('book')) : n === 1 ? readOn(() => server) : { text: 'Well.' },
  )
  const policy = allowOnly(['book'])
  const { toolCalls } = await new Agent({ model: server.model, tools: [book], policy }).run('Go.')
  expect(toolCalls[1]).toMatchObject({ status: 'denied' })
})
