// Pictures from everywhere: their bytes are in the artifact store and in the requests that show them, nowhere else.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  Agent,
  agentTool,
  type ChatModel,
  chatModel,
  type Message,
  memorySessions,
  type RunEvent,
  type RunInput,
  type RunState,
  readArtifactBytes,
  showImages,
  tool,
} from '@capstan/core'
import { agentHandler } from '@capstan/http'
import { recordRun } from '@capstan/testing/recording'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { cases } from '../scripts/cases.mjs'

type Fields = Readonly<Record<string, unknown>>
interface Served {
  readonly message: Fields
  /** The pieces of a stream. Default: the whole message is one. */
  readonly deltas?: readonly Fields[]
}

let scripts: Readonly<Record<string, readonly Served[]>> = {}
let bodies: { readonly model: string; readonly messages: readonly Message[] }[] = []
const counts = new Map<string, number>()

/** A model server: each model answers with the next message of its script. */
const server = createServer(async (request, response) => {
  let text = ''
  for await (const part of request) text += part
  const body = JSON.parse(text)
  bodies.push(body)
  const at = counts.get(body.model) ?? 0
  counts.set(body.model, at + 1)
  const { message, deltas = [message] } = scripts[body.model]?.[at] ?? {
    message: { content: 'Nothing left.' },
  }
  const reason = 'tool_calls' in message ? 'tool_calls' : 'stop'
  if (body.stream !== true) {
    const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: reason }]
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ choices }))
    return
  }
  response.setHeader('content-type', 'text/event-stream')
  for (const [index, delta] of deltas.entries()) {
    const finish = index === deltas.length - 1 ? reason : null
    const choices = [{ index: 0, delta, finish_reason: finish }]
    response.write(`data: ${JSON.stringify({ object: 'chat.completion.chunk', choices })}\n\n`)
  }
  response.end('data: [DONE]\n\n')
})
let baseURL = ''
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})
afterAll(() => void server.close())
afterEach(() => {
  bodies = []
  counts.clear()
})

const folder = mkdtempSync(join(tmpdir(), 'capstan-media-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Bytes of a PNG that no other seed has. */
function pngOf(seed: number, length = 1500): Uint8Array {
  let state = seed + 1
  const bytes = Uint8Array.from({ length }, () => {
    state = (state * 48271) % 2147483647
    return state & 0xff
  })
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return bytes
}
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const escaped = (bytes: Uint8Array) => `data:image/png;base64,${Buffer.from(bytes).toString('base64url')}`
const urlOf = (bytes: Uint8Array) => `data:image/png;base64,${base64(bytes)}`
const partOf = (bytes: Uint8Array) => ({ type: 'image_url', image_url: { url: urlOf(bytes) } })

/** The forms in which servers send a picture beside words. */
const replyForms: readonly ((bytes: Uint8Array) => Fields)[] = [
  (bytes) => ({ content: 'Here.', images: [partOf(bytes)] }),
  (bytes) => ({ content: null, images: [{ b64_json: base64(bytes) }] }),
  (bytes) => ({ content: [{ type: 'text', text: 'Here.' }, partOf(bytes)] }),
  (bytes) => ({ content: [{ inlineData: { mimeType: 'image/png', data: base64(bytes) } }] }),
  (bytes) => ({ content: [{ type: 'output_image', image_url: urlOf(bytes) }] }),
  (bytes) => ({ content: `Here: ![a picture](${urlOf(bytes)})` }),
  (bytes) => ({ content: `Here: ![a picture](${escaped(bytes)})` }),
  (bytes) => ({ content: [{ type: 'image_generation_call', result: base64(bytes) }] }),
  (bytes) => ({ content: 'Here.', audio: { id: 'a', data: base64(bytes), transcript: 'Here.' } }),
]

/** The forms in which tools return one. */
const resultForms: readonly ((bytes: Uint8Array) => unknown)[] = [
  (bytes) => urlOf(bytes),
  (bytes) => ({ image: base64(bytes), width: 10 }),
  (bytes) => escaped(bytes),
  (bytes) => ({ [urlOf(bytes)]: 'taken' }),
  (bytes) => `Taken:\n${base64(bytes).replace(/.{76}/g, '$&\n')}\nDone.`,
]

const callOf = (id: string, name: string, args: object) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(args) },
})

interface Scene {
  readonly user: Uint8Array
  readonly model: readonly Uint8Array[]
  readonly tool: Uint8Array
  readonly child: Uint8Array
  readonly forms: {
    readonly first: number
    readonly last: number
    readonly child: number
    readonly tool: number
    readonly user?: number
  }
}

/** A run that receives pictures from the user, the model, a tool and another agent. */
function preparing({ model: [first, last], tool: taken, child, forms }: Scene) {
  const pick = <T>(list: readonly T[], at: number) => list[at % list.length] as T
  const tool_calls = [callOf('c1', 'camera', {}), callOf('c2', 'artist', { input: 'Draw.' })]
  scripts = {
    main: [
      { message: { ...pick(replyForms, forms.first)(first as Uint8Array), tool_calls } },
      { message: pick(replyForms, forms.last)(last as Uint8Array) },
      { message: { content: 'Yes.' } },
    ],
    artist: [{ message: pick(replyForms, forms.child)(child) }],
  }
  const modelOf = (name: string): ChatModel => chatModel(name, { baseURL, apiKey: 'none' })
  const camera = tool({
    name: 'camera',
    description: 'Takes a picture',
    parameters: z.object({}),
    execute: () => pick(resultForms, forms.tool)(taken),
  })
  const artist = new Agent({ name: 'artist', model: modelOf('artist') })
  return new Agent({
    name: 'helper',
    model: modelOf('main'),
    tools: [camera, agentTool(artist, { name: 'artist', description: 'Draws' })],
    middleware: [showImages({ maxImages: 9 })],
  })
}

const longBase64 = /[A-Za-z0-9+/_-]{1024}/

/** The requests without the parts of user messages that show files. */
function withoutShown(): unknown {
  const plain = ({ role, content, ...message }: Message) =>
    role === 'user' && Array.isArray(content)
      ? { role, ...message, content: content.filter(({ type }) => type !== 'image_url') }
      : { role, content, ...message }
  return bodies.map(({ messages }) => messages.map(plain))
}

const ask = (user: Uint8Array): RunInput => [
  { role: 'user', content: [{ type: 'text', text: 'Look at this.' }, partOf(user)] },
]
/** The forms in which a user sends one. */
const inputForms: readonly ((bytes: Uint8Array) => RunInput)[] = [
  ask,
  (bytes) => `Look at ![this](${urlOf(bytes)}).`,
  (bytes) => [{ role: 'user', content: [{ type: 'text', text: `Look: ${escaped(bytes)}` }] }],
]

/** Runs a scene twice in one session, and returns everything that was kept or told of it. */
async function play(scene: Scene, isStreamed: boolean) {
  const agent = preparing(scene)
  const session = { store: memorySessions(), id: 's' }
  const file = join(folder, `${Math.random()}.jsonl`)
  const recording = recordRun(file)
  const events: RunEvent[] = []
  const checkpoints: string[] = []
  const options = {
    ...recording,
    session,
    observe(event: RunEvent) {
      events.push(event)
      recording.observe(event)
    },
    onCheckpoint(state: RunState) {
      checkpoints.push(JSON.stringify(state))
      return recording.onCheckpoint(state)
    },
  }
  const run = (input: RunInput) =>
    isStreamed ? agent.stream(input, options).result : agent.run(input, options)
  const { user: form = 0 } = scene.forms
  const input = inputForms[form % inputForms.length] as typeof ask
  const first = await run(input(scene.user))
  const second = await run('Sure?')
  const stored = JSON.stringify(await session.store.load('s'))
  const kept = {
    first,
    second,
    stored,
    events,
    checkpoints,
    file: readFileSync(file, 'utf8'),
    sent: withoutShown(),
  }
  return { agent, first, second, kept, requests: bodies }
}

test('no base64 in messages, states, sessions, events, recordings and requests but those that show it', async () => {
  const scene: Scene = {
    user: pngOf(1),
    model: [pngOf(2), pngOf(3)],
    tool: pngOf(4),
    child: pngOf(5),
    forms: { first: 0, last: 2, child: 1, tool: 1 },
  }
  const { agent, first, second, kept, requests } = await play(scene, true)
  expect([first, second]).toMatchObject([
    { stopReason: 'done', text: 'Here.' },
    { stopReason: 'done', text: 'Yes.' },
  ])
  for (const [name, part] of Object.entries(kept)) expect(JSON.stringify(part), name).not.toMatch(longBase64)
  const made = [scene.model[0], scene.tool, scene.child, scene.model[1]]
  const stored = first.artifacts.map(({ id }) => readArtifactBytes(agent.artifacts, id))
  expect((await Promise.all(stored)).map(base64).sort()).toEqual(
    made.map((one) => base64(one ?? pngOf(0))).sort(),
  )
  // The user's picture is in each request, those of the model in the next one.
  const shows = (bytes: Uint8Array) =>
    requests
      .filter(({ model }) => model === 'main')
      .map((body) => JSON.stringify(body).includes(base64(bytes)))
  expect(shows(scene.user)).toEqual([true, true, true])
  expect(shows(scene.model[0] as Uint8Array)).toEqual([false, true, true])
  expect(shows(scene.model[1] as Uint8Array)).toEqual([false, false, true])
})

test.each(['/v1/chat/completions', '/ui', '/ag-ui', '/runs'])(
  'no base64 in the streams of agentHandler: %s',
  async (path) => {
    const user = pngOf(11)
    const scene: Scene = {
      user,
      model: [pngOf(12), pngOf(13)],
      tool: pngOf(14),
      child: pngOf(15),
      forms: { first: 5, last: 0, child: 2, tool: 2 },
    }
    const handler = agentHandler(preparing(scene), { authenticate: () => ({ id: 'ann' }) })
    const image = { type: 'image', source: { type: 'data', value: base64(user), mimeType: 'image/png' } }
    const file = { type: 'file', url: urlOf(user), mediaType: 'image/png' }
    const message = {
      id: 'u',
      role: 'user',
      parts: [{ type: 'text', text: 'Look.' }, file],
      content: [image],
    }
    const body = {
      '/v1/chat/completions': { messages: ask(user), stream: true },
      '/ui': { id: 'c', messages: [message] },
      '/ag-ui': { threadId: 't', runId: 'r', messages: [message] },
      '/runs': { input: ask(user) },
    }[path]
    const headers = { 'content-type': 'application/json' }
    const request = new Request(`http://house.test${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    const told = await (await handler(request)).text()
    expect(told).toContain('Here')
    expect(told.match(/img_[a-z2-7]{8}/g)?.length).toBeGreaterThanOrEqual(4)
    // Deltas are small: the text that they form has none either.
    expect(told).not.toMatch(longBase64)
    expect(JSON.stringify(withoutShown())).not.toMatch(longBase64)
  },
)

test('pictures in any form and from anyone leave no base64, and none is lost', async () => {
  const form = fc.nat(20)
  const bytes = (from: number) =>
    fc.integer({ min: 800, max: 2500 }).map((length) => pngOf(from + length, length))
  const scene: fc.Arbitrary<Scene> = fc.record({
    user: bytes(10_000),
    model: fc.tuple(bytes(20_000), bytes(30_000)),
    tool: bytes(40_000),
    child: bytes(50_000),
    forms: fc.record({ first: form, last: form, child: form, tool: form, user: form }),
  })
  await fc.assert(
    fc.asyncProperty(scene, fc.boolean(), async (given, isStreamed) => {
      bodies = []
      counts.clear()
      const { agent, first, kept } = await play(given, isStreamed)
      expect(first.stopReason).toBe('done')
      expect(JSON.stringify(kept)).not.toMatch(longBase64)
      const stored = await agent.artifacts.list()
      const all = await Promise.all(stored.map(({ id }) => readArtifactBytes(agent.artifacts, id)))
      const expected = [given.user, ...given.model, given.tool, given.child].map(base64)
      expect(all.map(base64)).toEqual(expect.arrayContaining(expected))
    }),
    { numRuns: cases(150), seed: 22 },
  )
})
