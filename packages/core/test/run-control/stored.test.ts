import { expect, test } from 'vitest'
import * as z from 'zod'
import { Agent, type Limits, lineage, memoryArtifacts, tool } from '../../src/index.js'
import { scriptedModel } from '../scripted-model.js'

const nothing = z.object({})
const png = { kind: 'image', mediaType: 'image/png' } as const

/** Stores as many bytes as it is asked to, as they are or as a stream. */
const store = (asStream: boolean) =>
  tool({
    name: 'store',
    description: 'Stores bytes',
    parameters: z.object({ bytes: z.number(), fill: z.number() }),
    execute: ({ bytes, fill }, { artifacts }) => {
      const data = new Uint8Array(bytes).fill(fill)
      return artifacts.put(asStream ? new Blob([data]).stream() : data, png)
    },
  })

const call = (bytes: number, fill: number) => [['store', { bytes, fill }]] as const

async function storing(limits: Limits, asStream: boolean) {
  const artifacts = memoryArtifacts()
  const model = scriptedModel([call(10, 1), call(10, 2), 'Done.'])
  const agent = new Agent({ model, tools: [store(asStream)], artifacts, limits })
  return { result: await agent.run('Go.'), kept: await artifacts.list() }
}

test.each([false, true])('limits artifacts before tools store them (as a stream: %s)', async (asStream) => {
  for (const limits of [{ artifacts: 1 }, { artifactBytes: 15 }]) {
    const { result, kept } = await storing(limits, asStream)
    expect(kept).toHaveLength(1)
    const [name] = Object.keys(limits)
    expect(result).toMatchObject({ stopReason: 'limit', limit: name })
    expect(result.toolCalls.map(({ status }) => status)).toEqual(['ok', 'error'])
    expect(result.toolCalls[1]?.content).toContain(`Limit reached (${name}: `)
    expect(result.usage).toMatchObject(name === 'artifacts' ? { artifacts: 1 } : { artifactBytes: 10 })
  }
})

test('does not count bytes without a limit', async () => {
  const { result } = await storing({}, false)
  expect(result.stopReason).toBe('done')
  expect(result.usage).not.toHaveProperty('artifacts')
})

test("an artifact contains its call and run, in addition to the tool's info", async () => {
  const vary = tool({
    name: 'vary',
    description: 'Makes another one',
    parameters: nothing,
    execute: async (_, { artifacts }) => {
      const parents = (await artifacts.list()).map(({ id }) => id)
      return artifacts.put(Uint8Array.of(2), { ...png, origin: { model: 'dall-e-2' }, parents })
    },
  })
  const draw = tool({
    name: 'draw',
    description: 'Draws',
    parameters: nothing,
    execute: (_, { artifacts }) => artifacts.put(Uint8Array.of(1), png),
  })
  const model = scriptedModel([[['draw']], [['vary']], 'Done.'])
  const agent = new Agent({ model, tools: [draw, vary] })
  const { artifacts, state, toolCalls } = await agent.run('Go.', { runId: 'run-1' })
  const [drawn, varied] = artifacts
  const { callId } = toolCalls[1] ?? {}
  expect(varied?.origin).toEqual({ tool: 'vary', callId, runId: 'run-1', model: 'dall-e-2' })
  expect(state.messages.some(({ content }) => String(content).includes('dall-e-2'))).toBe(false)
  expect(await lineage(agent.artifacts, varied?.id ?? '')).toEqual([drawn, varied])
  await expect(lineage(agent.artifacts, 'img_aaaaaaaa')).rejects.toMatchObject({ code: 'not_found' })
})

test('a put that would pass a limit rejects', async () => {
  const both = tool({
    name: 'both',
    description: 'Stores two',
    parameters: nothing,
    execute: async (_, { artifacts }) => {
      const puts = await Promise.allSettled([1, 2].map((byte) => artifacts.put(Uint8Array.of(byte), png)))
      return puts.map(({ status }) => status)
    },
  })
  const agent = new Agent({
    model: scriptedModel([[['both']], 'Done.']),
    tools: [both],
    limits: { artifacts: 1 },
  })
  const { toolCalls, limit } = await agent.run('Go.')
  expect(toolCalls[0]?.content).toBe('["fulfilled","rejected"]')
  expect(limit).toBe('artifacts')
})

test('lineage skips values that are not ids', async () => {
  const artifacts = memoryArtifacts()
  const asked: unknown[] = []
  const watched = {
    ...artifacts,
    stat: (id: string) => {
      asked.push(id)
      return artifacts.stat(id)
    },
  }
  const agent = new Agent({ model: scriptedModel([]), artifacts: watched })
  const parents = ['../secret', 5, 'img_aaaaaaaa'] as readonly string[]
  const made = await artifacts.put(Uint8Array.of(1), { ...png, parents })
  expect(await lineage(agent.artifacts, made.id)).toEqual([made])
  expect(asked).toEqual([made.id, 'img_aaaaaaaa'])
})
