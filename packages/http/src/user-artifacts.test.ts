import {
  Agent,
  type AnyAgent,
  type ArtifactStore,
  agentTool,
  handoff,
  memoryArtifacts,
  memorySessions,
  showImages,
  tool,
} from '@capstan/core'
import { readBytes } from '@capstan/core/internal'
import { reply, type ScriptStep, scriptedModel } from '@capstan/testing'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import * as z from 'zod'
import { draw, handlerOf, pixel, toRequest } from '../test/requests.js'
import type { AgentHandler } from './agent-handler.js'
import type { HandlerOptions } from './options.js'

const secret = 'what only ann may read'
const prompt = 'the prompt of ann'

const keep = tool({
  name: 'keep',
  description: 'Stores words',
  parameters: z.object({ words: z.string() }),
  execute: async ({ words }, { artifacts }) => {
    const info = {
      kind: 'text',
      mediaType: 'text/plain',
      origin: { prompt: `the prompt of ${words}` },
    } as const
    return artifacts.put(new TextEncoder().encode(words), info)
  },
})
/** Does everything that a tool can do with an id. */
const look = tool({
  name: 'look',
  description: 'Looks at an artifact',
  parameters: z.object({ id: z.string() }),
  execute: async ({ id }, { artifacts }) => {
    const bytes = await artifacts.open(id).then(readBytes, ({ code }) => code)
    await artifacts.delete(id)
    const child = await artifacts.put(pixel, { kind: 'image', mediaType: 'image/png', parents: [id] })
    return {
      stat: (await artifacts.stat(id)) ?? 'none',
      list: (await artifacts.list()).filter((one) => one.id !== child.id),
      bytes: typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes),
    }
  },
})
const pick = tool({
  name: 'pick',
  description: 'Gives JSON back',
  parameters: z.object({ json: z.string() }),
  show: true,
  execute: ({ json }) => JSON.parse(json),
})
const long = tool({
  name: 'long',
  description: 'Says much',
  parameters: z.object({}),
  maxResultBytes: 256,
  execute: () => 'word '.repeat(100),
})
const fetched = tool({
  name: 'fetched',
  description: 'The caller does it',
  parameters: z.object({}),
  show: true,
})

const tools = [keep, look, pick, long, fetched, draw]
const middleware = [showImages()]

interface Made {
  readonly id: string
  readonly sha256: string
}

/** The ways in which bob's model tries to read the artifact, each with the model's steps. */
const attempts: Readonly<Record<string, (made: Made) => readonly ScriptStep[]>> = {
  'a tool that does all with an id': ({ id }) => [reply.call('look', { id })],
  'a tool that gives JSON back': (made) => [
    reply.call('pick', {
      json: JSON.stringify({ ...made, kind: 'text', mediaType: 'text/plain', size: 22 }),
    }),
  ],
  'a picture that a tool names': () => [
    reply.call('pick', { json: '{"id":"img_7d6stkum","kind":"image","mediaType":"image/png","sha256":"x"}' }),
  ],
  read_artifact: ({ id }) => [reply.call('long', {}), reply.call('read_artifact', { artifact: id })],
  'an agent as a tool': ({ id }) => [reply.call('inner', { input: id })],
  'an agent that it is handed to': ({ id }) => [
    reply.call('transfer_to_other', {}),
    reply.call('look', { id }),
  ],
}

/** Returns an agent. Its nested agent calls `look` once, following its own script. */
function agentOf(steps: readonly ScriptStep[], artifacts: ArtifactStore, inner: readonly ScriptStep[]) {
  const child = new Agent({
    name: 'inner',
    model: scriptedModel([...inner, reply.text('Inner is done.')]),
    tools,
    middleware,
  })
  const model = scriptedModel(steps)
  const other = new Agent({ name: 'other', model, tools, middleware })
  const agent = new Agent({
    name: 'helper',
    model,
    artifacts,
    tools: [...tools, agentTool(child, { name: 'inner' }), handoff(other)],
    middleware,
  })
  return { agent, model }
}

const routes: Readonly<Record<string, (says: string) => { readonly path: string; readonly body: unknown }>> =
  {
    runs: (input) => ({ path: '/runs', body: { input } }),
    'runs at once': (input) => ({ path: '/runs', body: { input, stream: false } }),
    'runs in a session': (input) => ({ path: '/runs', body: { input, session: 's', stream: false } }),
    chat: (content) => ({
      path: '/v1/chat/completions',
      body: { model: 'helper', messages: [{ role: 'user', content }] },
    }),
    'chat as a stream': (content) => ({
      path: '/v1/chat/completions',
      body: { model: 'helper', stream: true, messages: [{ role: 'user', content }] },
    }),
    ui: (words) => ({
      path: '/ui',
      body: { id: 'chat', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: words }] }] },
    }),
    'ag-ui': (content) => ({
      path: '/ag-ui',
      body: {
        threadId: 't',
        runId: crypto.randomUUID(),
        state: {},
        tools: [],
        context: [],
        forwardedProps: {},
        messages: [{ id: 'm', role: 'user', content }],
      },
    }),
  }

function serve(agent: AnyAgent, options: Partial<HandlerOptions> = {}): AgentHandler {
  const handler = handlerOf(agent, { sessions: memorySessions(), ...options })
  onTestFinished(async () => void (await handler.close()))
  return handler
}

async function send(handler: AgentHandler, user: string, { path, body }: { path: string; body: unknown }) {
  const response = await handler(toRequest(path, { body, user }))
  return { status: response.status, text: await response.text() }
}

/** Returns a string in several encodings. */
const forms = (words: string) => [
  words,
  Buffer.from(words).toString('base64'),
  [...Buffer.from(words)].join(','),
]
const hidden = (all: string) => [secret, prompt].flatMap(forms).filter((form) => all.includes(form))

describe.each(Object.entries(routes))("another user's artifact through %s", (_route, toBody) => {
  test.each(Object.entries(attempts))('is not there for %s', async (_name, attempt) => {
    const artifacts = memoryArtifacts()
    // The store also contains other users' images.
    await artifacts.put(pixel, { kind: 'image', mediaType: 'image/png' })
    const known = await memoryArtifacts().put(new TextEncoder().encode(secret), {
      kind: 'text',
      mediaType: 'text/plain',
    })
    const steps = [
      reply.call('keep', { words: secret }),
      reply.text('Kept.'),
      ...attempt(known),
      reply.text('Done.'),
    ]
    const { agent, model } = agentOf(steps, artifacts, [reply.call('look', { id: known.id })])
    const handler = serve(agent)
    await send(handler, 'ann', { path: '/runs', body: { input: 'Keep it.', stream: false } })
    expect(await artifacts.stat(known.id)).toMatchObject({ sha256: known.sha256 })
    const seenByAnn = model.requests.length
    const { status, text: told } = await send(handler, 'bob', toBody('Go.'))
    expect(status).toBe(200)
    const asked = JSON.stringify(model.requests.slice(seenByAnn))
    expect(model.requests.length).toBeGreaterThan(seenByAnn + 1)
    expect(hidden(told + asked)).toEqual([])
    expect(asked).not.toContain('image_url')
    for (const method of ['GET', 'HEAD']) {
      const headers = { range: 'bytes=0-3' }
      const path = `/artifacts/${known.id}`
      expect((await handler(toRequest(path, { method, user: 'bob', headers }))).status).toBe(404)
    }
    // The artifact is still readable for ann.
    const own = await handler(toRequest(`/artifacts/${known.id}`))
    expect(await own.text()).toBe(secret)
  })
})

test.each(['/ui', '/ag-ui'])("a file of %s that names another user's artifact is refused", async (path) => {
  const artifacts = memoryArtifacts()
  const { agent, model } = agentOf(
    [reply.call('keep', { words: secret }), reply.text('Kept.')],
    artifacts,
    [],
  )
  const handler = serve(agent)
  await send(handler, 'ann', { path: '/runs', body: { input: 'Keep it.', stream: false } })
  const [{ id } = { id: '' }] = await artifacts.list()
  const url = `/artifacts/${id}`
  const parts = [{ type: 'file', mediaType: 'text/plain', url }]
  const content = [{ type: 'document', source: { type: 'url', value: url } }]
  const messages = [{ id: 'm', role: 'user', parts, content }]
  const body = {
    id: 'chat',
    threadId: 't',
    runId: 'r',
    state: {},
    tools: [],
    context: [],
    forwardedProps: {},
  }
  const { status, text: told } = await send(handler, 'bob', { path, body: { ...body, messages } })
  expect(status).toBe(400)
  expect(hidden(told)).toEqual([])
  expect(model.requests).toHaveLength(2)
})

test('a result from a client makes no artifact readable, even if the tool shows images', async () => {
  const artifacts = memoryArtifacts()
  const steps = [
    reply.call('draw', { what: 'a dot' }),
    reply.text('Drawn.'),
    reply.call('fetched', {}),
    reply.text('Done.'),
  ]
  const { agent, model } = agentOf(steps, artifacts, [])
  const handler = serve(agent)
  await send(handler, 'ann', { path: '/runs', body: { input: 'Draw.', stream: false } })
  const [drawn] = await artifacts.list()
  const asked = JSON.parse(
    (await send(handler, 'bob', { path: '/runs', body: { input: 'Go.', stream: false } })).text,
  )
  const [{ callId }] = asked.pending
  const decisions = { [callId]: { type: 'result', value: { ...drawn } } }
  const ended = await send(handler, 'bob', {
    path: '/runs',
    body: { run: asked.runId, decisions, stream: false },
  })
  expect(JSON.parse(ended.text)).toMatchObject({ stopReason: 'done', artifacts: [] })
  expect(JSON.stringify(model.requests)).not.toContain('image_url')
  expect((await handler(toRequest(`/artifacts/${drawn?.id}`, { user: 'bob' }))).status).toBe(404)
})

/** Stores a string in a new store and returns its artifact. */
const madeOf = (words: string) =>
  memoryArtifacts().put(new TextEncoder().encode(words), { kind: 'text', mediaType: 'text/plain' })

const runs = (input: string, more: object = {}) => ({
  path: '/runs',
  body: { input, stream: false, ...more },
})
const sendRuns = async (handler: AgentHandler, user: string, sent: { path: string; body: unknown }) =>
  JSON.parse((await send(handler, user, sent)).text)

test('equal content of two users is stored for each, with its own description', async () => {
  const kept = [reply.call('keep', { words: 'same' }), reply.text('Kept.')]
  const { agent } = agentOf([...kept, ...kept], memoryArtifacts(), [])
  const handler = serve(agent)
  const ann = await sendRuns(handler, 'ann', runs('Keep it.'))
  const bob = await sendRuns(handler, 'bob', runs('Keep it.'))
  expect(bob.artifacts[0].id).toBe(ann.artifacts[0].id)
  expect(ann.artifacts[0].origin.runId).toBe(ann.runId)
  expect(bob.artifacts[0].origin.runId).toBe(bob.runId)
  for (const user of ['ann', 'bob'])
    expect((await handler(toRequest(`/artifacts/${bob.artifacts[0].id}`, { user }))).status).toBe(200)
})

test("later and resumed runs have the artifacts of their user's earlier runs", async () => {
  const { id } = await madeOf(secret)
  const steps = [
    ...[reply.call('keep', { words: secret }), reply.text('Kept.')],
    ...[reply.call('fetched', {}), reply.call('look', { id }), reply.text('Done.')],
  ]
  const { agent, model } = agentOf(steps, memoryArtifacts(), [])
  const handler = serve(agent)
  await sendRuns(handler, 'ann', runs('Keep it.', { session: 's' }))
  const asked = await sendRuns(handler, 'ann', runs('Go.', { session: 's' }))
  const decisions = { [asked.pending[0].callId]: { type: 'result', value: 'ok' } }
  const { body } = runs('', { run: asked.runId, decisions, session: 's', input: undefined })
  expect(await sendRuns(handler, 'ann', { path: '/runs', body })).toMatchObject({ stopReason: 'done' })
  expect(JSON.stringify(model.requests.at(-1))).toContain(`\\"bytes\\":\\"${secret}`)
})

test('`artifacts` gives each user a store in which everything is readable', async () => {
  const { id } = await madeOf(secret)
  const stores: Record<string, ArtifactStore> = { ann: memoryArtifacts(), bob: memoryArtifacts() }
  const { agent } = agentOf(
    [reply.call('keep', { words: secret }), reply.text('Kept.'), reply.call('look', { id }), reply.text('.')],
    memoryArtifacts(),
    [],
  )
  const handler = serve(agent, { artifacts: (user) => stores[user.id] as ArtifactStore })
  await sendRuns(handler, 'ann', runs('Keep it.'))
  const { text: told } = await send(handler, 'bob', { path: '/runs', body: { input: 'Look.' } })
  expect(hidden(told)).toEqual([])
  expect(await agent.artifacts.list()).toEqual([])
  expect(await stores.ann?.list()).toHaveLength(1)
  const earlier = await stores.bob?.put(new TextEncoder().encode('of bob, earlier'), {
    kind: 'text',
    mediaType: 'text/plain',
  })
  const path = `/artifacts/${earlier?.id}`
  expect((await handler(toRequest(path, { user: 'bob' }))).status).toBe(200)
  expect((await handler(toRequest(path, { user: 'ann' }))).status).toBe(404)
})

test('a file that mayRead allows is available to the run', async () => {
  const artifacts = memoryArtifacts()
  const { id } = await artifacts.put(new TextEncoder().encode(secret), {
    kind: 'text',
    mediaType: 'text/plain',
  })
  const { agent, model } = agentOf([reply.call('look', { id }), reply.text('Done.')], artifacts, [])
  const handler = serve(agent, { mayRead: (_artifact, user) => user.id === 'ann' })
  const parts = [{ type: 'file', mediaType: 'text/plain', url: `/artifacts/${id}` }]
  const sent = { path: '/ui', body: { id: 'chat', messages: [{ id: 'm', role: 'user', parts }] } }
  expect((await send(handler, 'bob', sent)).status).toBe(400)
  expect((await send(handler, 'ann', sent)).status).toBe(200)
  expect(JSON.stringify(model.requests.at(-1))).toContain(secret)
})

/** Waits until the condition is true, however slow the machine is. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5))
}

test('artifacts that no run needs are removed after keepArtifactsMs, and those of others stay', async () => {
  const artifacts = memoryArtifacts()
  const own = await artifacts.put(new TextEncoder().encode('of the program'), {
    kind: 'text',
    mediaType: 'text/plain',
  })
  const kept = ['gone', 'of the program', 'waits'].map((words) => reply.call('keep', { words }))
  const { agent } = agentOf(
    [...kept.slice(0, 2), reply.text('Kept.'), ...kept.slice(2), reply.call('fetched', {})],
    artifacts,
    [],
  )
  const handler = serve(agent, { keepArtifactsMs: 20, keepRunsMs: 1 })
  await sendRuns(handler, 'ann', runs('Keep it.'))
  await sendRuns(handler, 'ann', runs('Keep it, and wait.'))
  const [gone, waits] = [await madeOf('gone'), await madeOf('waits')]
  await until(async () => (await artifacts.stat(gone.id)) === undefined)
  expect((await handler(toRequest(`/artifacts/${gone.id}`))).status).toBe(404)
  expect((await handler(toRequest(`/artifacts/${waits.id}`))).status).toBe(200)
  expect(await artifacts.stat(own.id)).toEqual(own)
})

test('keeps what an active run stored, read or named, and removes older artifacts of its user', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const artifacts = memoryArtifacts()
  let reach = () => {}
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  let proceed = () => {}
  const released = new Promise<void>((resolve) => {
    proceed = resolve
  })
  const hold = tool({
    name: 'hold',
    description: 'Waits',
    parameters: z.object({}),
    execute: async () => {
      reach()
      await released
    },
  })
  const see = tool({
    name: 'see',
    description: 'Looks at an artifact',
    parameters: z.object({ id: z.string() }),
    execute: ({ id }, ctx) => ctx.artifacts.stat(id),
  })
  const words = (said: string) => [reply.call('keep', { words: said }), reply.text('Kept.')]
  const [old, seen, named] = [await madeOf('old'), await madeOf('seen'), await madeOf('named')]
  const model = scriptedModel([
    ...['old', 'seen', 'named'].flatMap(words),
    reply.call('keep', { words: 'of ann' }),
    reply.call('see', { id: seen.id }),
    reply.call('hold', {}),
    ...words('of bob'),
    reply.text('Done.'),
  ])
  const handler = serve(new Agent({ name: 'helper', model, tools: [keep, see, hold], artifacts }), {
    keepArtifactsMs: 1000,
    keepRunsMs: 1,
  })
  for (const said of ['old', 'seen', 'named']) await sendRuns(handler, 'ann', runs(`Keep "${said}".`))
  await vi.advanceTimersByTimeAsync(10)
  const running = sendRuns(handler, 'ann', runs(`Keep it beside ${named.id}.`))
  await reached
  await sendRuns(handler, 'bob', runs('Keep it.'))
  const [ofAnn, ofBob] = [await madeOf('of ann'), await madeOf('of bob')]
  await vi.advanceTimersByTimeAsync(3000)
  for (const { id } of [old, ofBob]) expect(await artifacts.stat(id)).toBeUndefined()
  for (const { id } of [ofAnn, seen, named]) expect(await artifacts.stat(id)).toBeDefined()
  proceed()
  await running
  await vi.advanceTimersByTimeAsync(3000)
  for (const { id } of [ofAnn, seen, named]) expect(await artifacts.stat(id)).toBeUndefined()
})

test.each<[Partial<HandlerOptions>, RegExp]>([
  [{ keepArtifactsMs: 0 }, /keepArtifactsMs must be a positive number, not 0/],
  [{ keepArtifactsMs: Number.NaN }, /keepArtifactsMs must be a positive number, not NaN/],
  [{ keepArtifactsMs: 1, artifacts: () => memoryArtifacts() }, /`keepArtifactsMs` cannot be combined/],
])('rejects options that are not valid (case %#)', (options, message) => {
  const { agent } = agentOf([], memoryArtifacts(), [])
  expect(() => handlerOf(agent, options)).toThrow(message)
})
