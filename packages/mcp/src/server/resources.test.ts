import { memoryArtifacts, tool } from '@capstan/core'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { latch } from '../../test/latch.js'
import { picture } from '../../test/picture.js'
import { mcpServer } from './mcp-server.js'
import type { McpServerOptions } from './options.js'

const image = { kind: 'image', mediaType: 'image/png' } as const

/** Returns a server with a store. Its callers authenticate by name. */
function serve(options: McpServerOptions = {}) {
  const artifacts = memoryArtifacts()
  const draw = tool({
    name: 'draw',
    description: 'Draws',
    parameters: z.object({}),
    execute: async (_args, ctx) => ({ picture: await ctx.artifacts.put(picture, image) }),
  })
  const sketch = tool({
    name: 'sketch',
    description: 'Draws, and says no more than where',
    parameters: z.object({}),
    execute: async (_args, ctx) => (await ctx.artifacts.put(picture, image)).id,
  })
  const find = tool({
    name: 'find',
    description: 'Finds what was drawn',
    parameters: z.object({}),
    execute: async () => ({ found: await artifacts.put(picture, image) }),
  })
  const pick = tool({
    name: 'pick',
    description: 'Gives JSON back',
    parameters: z.object({ text: z.string() }),
    execute: ({ text }) => JSON.parse(text),
  })
  const look = tool({
    name: 'look',
    description: 'Looks at an artifact',
    parameters: z.object({ id: z.string() }),
    execute: async ({ id }, ctx) => ({
      stat: (await ctx.artifacts.stat(id)) ?? 'none',
      open: await ctx.artifacts.open(id).then(
        () => 'opened',
        ({ code }) => code,
      ),
      list: (await ctx.artifacts.list()).length,
    }),
  })
  const server = mcpServer([draw, sketch, find, pick, look], {
    artifacts,
    inlineBytes: 0,
    authenticate: ({ headers }) => headers.get('x-user'),
    ...options,
  })
  onTestFinished(() => server.close())
  const as = async (user: string) => {
    const client = new Client({ name: user, version: '1' }, { versionNegotiation: { mode: 'auto' } })
    const fetch = (url: string | URL, init?: RequestInit) => server.fetch(new Request(url, init))
    const requestInit = { headers: { 'x-user': user } }
    await client.connect(
      new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch, requestInit }),
    )
    onTestFinished(() => client.close())
    return {
      call: (name: string, args = {}) => client.callTool({ name, arguments: args }),
      read: (id: string) => client.readResource({ uri: `capstan://artifact/${id}` }),
    }
  }
  return { as, artifacts }
}

test.each(['draw', 'sketch'])(
  'an artifact that a call of "%s" stored is readable by its caller',
  async (name) => {
    const { as, artifacts } = serve()
    const [ann, bob] = [await as('ann'), await as('bob')]
    await ann.call(name)
    const id = (await artifacts.list())[0]?.id ?? ''
    expect(await ann.read(id)).toMatchObject({ contents: [{ mimeType: 'image/png' }] })
    await expect(bob.read(id)).rejects.toThrow(/not found/i)
  },
)

test('an artifact of another store in a result is data and not readable', async () => {
  const { as, artifacts } = serve()
  const ann = await as('ann')
  const [block, ...more] = (await ann.call('find')).content
  const [found] = await artifacts.list()
  expect(more).toEqual([])
  expect(block).toEqual({ type: 'text', text: JSON.stringify({ found }) })
  await expect(ann.read(found?.id ?? '')).rejects.toThrow(/not found/i)
})

test('a tool that returns JSON makes nothing readable', async () => {
  const { as, artifacts } = serve()
  const [ann, bob] = [await as('ann'), await as('bob')]
  await ann.call('draw')
  const [drawn] = await artifacts.list()
  for (const forged of [{ ...drawn }, { ...drawn, sha256: 'x', mediaType: 'text/html' }]) {
    const { content } = await bob.call('pick', { text: JSON.stringify(forged) })
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(forged) }])
    await expect(bob.read(drawn?.id ?? '')).rejects.toThrow(/not found/i)
  }
})

test("a call of one caller cannot read another caller's artifact", async () => {
  const { as, artifacts } = serve({ inlineBytes: 2 ** 20 })
  const [ann, bob] = [await as('ann'), await as('bob')]
  await ann.call('draw')
  const [drawn] = await artifacts.list()
  const { content } = await bob.call('look', { id: drawn?.id })
  expect(content).toEqual([{ type: 'text', text: '{"stat":"none","open":"not_found","list":0}' }])
  const own = await ann.call('look', { id: drawn?.id })
  expect(own.content).toMatchObject([
    { text: expect.stringContaining('"open":"opened","list":1') },
    { type: 'image' },
  ])
})

test('a store for each caller replaces the view', async () => {
  const stores: Record<string, ReturnType<typeof memoryArtifacts>> = {
    ann: memoryArtifacts(),
    bob: memoryArtifacts(),
  }
  const { as } = serve({ artifacts: (caller) => stores[String(caller)] ?? memoryArtifacts() })
  const [ann, bob] = [await as('ann'), await as('bob')]
  const before = await stores.bob?.put(picture, image)
  await ann.call('draw')
  expect(await stores.ann?.list()).toHaveLength(1)
  expect(await bob.read(before?.id ?? '')).toMatchObject({ contents: [{ mimeType: 'image/png' }] })
})

test('an artifact that no call made is not readable unless mayRead allows it', async () => {
  const closed = serve()
  const { id } = await closed.artifacts.put(picture, image)
  await expect((await closed.as('ann')).read(id)).rejects.toThrow(/not found/i)
  const asked: unknown[] = []
  const open = serve({
    mayRead: (artifact, caller) => {
      asked.push([artifact.id, caller])
      return caller === 'ann'
    },
  })
  await open.artifacts.put(picture, image)
  expect(await (await open.as('ann')).read(id)).toMatchObject({ contents: [{ mimeType: 'image/png' }] })
  await expect((await open.as('bob')).read(id)).rejects.toThrow(/not found/i)
  expect(asked).toEqual([
    [id, 'ann'],
    [id, 'bob'],
  ])
})

test('refuses an artifact that is too large, with its size', async () => {
  const opened: string[] = []
  const store = memoryArtifacts()
  const artifacts = {
    ...store,
    open: (id: string) => {
      opened.push(id)
      return store.open(id)
    },
  }
  const { as } = serve({ artifacts, mayRead: () => true, maxReadBytes: picture.byteLength - 1 })
  const { id } = await artifacts.put(picture, image)
  const reject = `"${id}" has ${picture.byteLength} bytes. The limit is ${picture.byteLength - 1} bytes`
  await expect((await as('ann')).read(id)).rejects.toThrow(reject)
  expect(opened).toEqual([])
})

test('reads count as concurrent calls', async () => {
  const { promise: held, resolve: release } = latch()
  const { promise: asked, resolve: ask } = latch()
  const mayRead = async () => {
    ask()
    await held
    return true
  }
  const { as, artifacts } = serve({ mayRead, maxCalls: 1 })
  const { id } = await artifacts.put(picture, image)
  const ann = await as('ann')
  const access = ann.read(id)
  await asked
  await expect(ann.read(id)).rejects.toThrow(/Too many concurrent calls/)
  expect(await ann.call('draw')).toMatchObject({ isError: true })
  release()
  expect(await access).toMatchObject({ contents: [{ mimeType: 'image/png' }] })
  expect((await ann.call('draw')).isError).toBeUndefined()
})

test('reports a failure of mayRead only to onError', async () => {
  const errors: string[] = []
  const mayRead = () => {
    throw new Error('the table of rights is gone')
  }
  const { as, artifacts } = serve({ mayRead, onError: ({ message }) => errors.push(message) })
  const { id } = await artifacts.put(picture, image)
  await expect((await as('ann')).read(id)).rejects.toThrow('The artifact could not be read.')
  expect(errors).toEqual(['the table of rights is gone'])
})
