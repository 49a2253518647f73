import { Agent, chatModel, type RunEvent } from '@capstan/core'
import { expect, test } from 'vitest'
import { mediaTools } from '../src/index.js'
import { base64, bytesOf, wav } from './artifacts.js'
import { type Arrived, startMediaServer } from './media-server.js'
import { png } from './png.js'

// Larger than a thousand characters of base64 each, so that one in a message would be seen.
const drawn = noise(48, 48)
const edited = noise(48, 47)
const varied = noise(48, 46)

function noise(width: number, height: number): Uint8Array {
  const image = png(width, height)
  return Uint8Array.from([...image, ...crypto.getRandomValues(new Uint8Array(4000))])
}

test('generate, edit with a mask, vary and speak chain by ids, and no message or event holds an image', async () => {
  const server = await startMediaServer((request, { origin }) => {
    const { path } = request
    if (path.endsWith('/chat/completions')) return { body: { choices: [{ message: plan(request) }] } }
    if (path.endsWith('/generations')) return { body: { data: [{ b64_json: base64(drawn) }] } }
    if (path.endsWith('/edits')) return { body: { data: [{ url: `${origin}/files/edited` }] } }
    if (path.endsWith('/variations')) return { body: { data: [{ b64_json: base64(varied) }] } }
    if (path === '/files/edited') return { body: edited }
    return { body: wav(), headers: { 'content-type': 'audio/wav' } }
  })
  const agent = new Agent({
    model: chatModel('scripted', server.client),
    tools: mediaTools({ client: server.client }),
  })
  const events: RunEvent[] = []
  const { text, toolCalls, messages, artifacts } = await agent.run('Draw, change, vary and describe a cat.', {
    attachments: [png(48, 48, [255, 255, 255])],
    observe: (event) => events.push(event),
  })

  expect(text).toBe('Done.')
  expect(toolCalls.map(({ name, status }) => [name, status])).toEqual([
    ['generate_image', 'ok'],
    ['edit_image', 'ok'],
    ['vary_image', 'ok'],
    ['speak', 'ok'],
  ])
  const { store } = agent.artifacts
  const made = await Promise.all(artifacts.map((artifact) => bytesOf(store, artifact)))
  expect(made).toEqual([drawn, edited, varied, wav()])
  const sent = (path: string) => server.arrived.find((one) => one.path === path)?.files
  expect(sent('/v1/images/edits')?.image?.bytes).toEqual(drawn)
  expect(sent('/v1/images/edits')?.mask?.bytes).toEqual(png(48, 48, [255, 255, 255]))
  expect(sent('/v1/images/variations')?.image?.bytes).toEqual(edited)

  const requests = server.arrived
    .filter(({ path }) => path.endsWith('/chat/completions'))
    .map(({ fields }) => fields)
  expect(requests).toHaveLength(5)
  expect(JSON.stringify([messages, events, requests])).not.toMatch(/[A-Za-z0-9+/_=-]{1024}/)
})

interface Sent {
  readonly role: string
  readonly content: string
}

/** Calls one tool after the other, each on the image that came before, like a model that reads its messages. */
function plan({ fields }: Arrived): object {
  const messages = fields.messages as Sent[]
  const seen = messages.flatMap(({ content }) => content?.match(/img_[a-z2-7]+/g) ?? [])
  const [mask = ''] = seen
  const newest = seen.at(-1)
  const calls: [string, object][] = [
    ['generate_image', { prompt: 'a cat', size: '48x48' }],
    ['edit_image', { image: newest, mask, prompt: 'a hat' }],
    ['vary_image', { image: newest }],
    ['speak', { input: 'A cat with a hat.' }],
  ]
  const done = messages.filter(({ role }) => role === 'tool').length
  const [name, args] = calls[done] ?? []
  if (name === undefined) return { role: 'assistant', content: 'Done.' }
  const call = { id: `call_${done}`, type: 'function', function: { name, arguments: JSON.stringify(args) } }
  return { role: 'assistant', content: '', tool_calls: [call] }
}
