import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { ArtifactViews } from './artifacts/artifact-views.js'
import { memoryArtifacts } from './artifacts/memory-artifacts.js'
import { handoff } from './features/agents/handoff.js'
import { Agent, agentTool } from './index.js'
import { tool } from './tools/tool.js'

const note = tool({
  name: 'note',
  description: 'Stores words',
  parameters: z.object({ words: z.string() }),
  execute: ({ words }, { artifacts }) =>
    artifacts.put(new TextEncoder().encode(words), { kind: 'text', mediaType: 'text/plain' }),
})

const noting = (name: string, words: string) =>
  new Agent({
    name,
    model: scriptedModel([reply.call('note', { words }), reply.text(`${name} is done.`)]),
    tools: [note],
  })

test('the artifacts of a run, of agents within it and of a handoff are in its own store', async () => {
  const child = noting('child', 'of the child')
  const next = noting('next', 'of the next')
  const long = tool({
    name: 'long',
    description: 'Says much',
    parameters: z.object({}),
    maxResultBytes: 256,
    execute: () => 'word '.repeat(100),
  })
  const agent = new Agent({
    model: scriptedModel([
      reply.call('note', { words: 'of the run' }),
      reply.call('long', {}),
      reply.call('child', { input: 'go' }),
      reply.call('transfer_to_next', {}),
    ]),
    tools: [note, long, agentTool(child, { name: 'child' }), handoff(next)],
  })
  const artifacts = memoryArtifacts()
  const result = await agent.run('Go.', { artifacts, attachments: [new Uint8Array([1])] })
  expect(result.stopReason).toBe('done')
  expect((await artifacts.list()).map(({ size }) => size)).toEqual([1, 10, 500, 12, 11])
  expect(result.artifacts).toHaveLength(3)
  for (const one of [agent, child, next]) expect(await one.artifacts.list()).toEqual([])
})

test('a run that is prepared stores its attachments in the store that it is given', async () => {
  const agent = new Agent({ model: scriptedModel([]) })
  const artifacts = memoryArtifacts()
  const state = await agent.prepare('Look.', { artifacts, attachments: [new Uint8Array([1])] })
  const [stored] = await artifacts.list()
  expect(state.messages.at(-1)?.media).toMatchObject([{ artifact: stored?.id }])
  expect(await agent.artifacts.list()).toEqual([])
})

test("a run whose store is a view cannot be given, and cannot read, another owner's artifact", async () => {
  const views = new ArtifactViews(memoryArtifacts())
  const secret = await views.of('ann').put(new TextEncoder().encode('the secret'), {
    kind: 'text',
    mediaType: 'text/plain',
  })
  const long = tool({
    name: 'long',
    description: 'Says much',
    parameters: z.object({}),
    maxResultBytes: 256,
    execute: () => 'word '.repeat(100),
  })
  const agent = () =>
    new Agent({
      model: scriptedModel([
        reply.call('long', {}),
        reply.call('read_artifact', { artifact: secret.id }),
        reply.text('Done.'),
      ]),
      tools: [long],
    })
  const artifacts = views.of('bob')
  await expect(agent().run('Look.', { artifacts, attachments: [secret] })).rejects.toMatchObject({
    code: 'not_found',
  })
  const { toolCalls } = await agent().run('Read.', { artifacts })
  expect(toolCalls.map(({ status }) => status)).toEqual(['ok', 'error'])
  expect(JSON.stringify(toolCalls)).not.toContain('the secret')
  const own = await agent().run('Read.', { artifacts: views.of('ann') })
  expect(own.toolCalls[1]).toMatchObject({ status: 'ok', result: { text: 'the secret' } })
})
