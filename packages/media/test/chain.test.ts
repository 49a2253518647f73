import { Agent, chatModel, type RunEvent } from '@capstan/core'
import { expect, test } from 'vitest'
import { type MediaOptions, mediaTools } from '../src/index.js'
import { base64, bytesOf, wav } from './artifacts.js'
import { type ChainStep, nextOf } from './chain-steps.js'
import { type Answer, type Arrived, startMediaServer } from './media-server.js'
import { clearPng, png } from './png.js'

// Above a thousand characters of base64 each, so that one in a message would be noticed.
const drawn = noise(48, 48)
const edited = noise(48, 47)
const varied = noise(48, 46)
const variedAgain = noise(48, 45)
const files: Readonly<Record<string, Uint8Array>> = { drawn, edited, varied, variedAgain }

function noise(width: number, height: number): Uint8Array {
  const image = png(width, height)
  return Uint8Array.from([...image, ...crypto.getRandomValues(new Uint8Array(4000))])
}

interface Serving {
  readonly name: string
  readonly options: MediaOptions
  /** Response to a media request. */
  answer(request: Arrived, origin: string): Answer
}

const sound = (type: string): Answer => ({ body: wav(), headers: { 'content-type': type } })
const inside = (...images: Uint8Array[]): Answer => ({
  body: { data: images.map((one) => ({ b64_json: base64(one) })) },
})

/** The documented service, with inline images. */
const documented: Serving = {
  name: 'the documented service',
  options: {},
  answer({ path }) {
    if (path.endsWith('/generations')) return inside(drawn)
    if (path.endsWith('/edits')) return inside(edited)
    if (path.endsWith('/variations')) return inside(varied, variedAgain)
    return path.endsWith('/speech') ? sound('audio/wav') : { body: { text: 'A cat.' } }
  },
}

/** Links instead of base64, other field names, no forms for edits, meaningless types. */
const other: Serving = {
  name: 'a server that differs',
  options: { dialect: { imageDelivery: 'url' } },
  answer({ path, fields, headers }, origin) {
    if (path.startsWith('/files/')) return { body: files[path.slice('/files/'.length)] ?? '' }
    if ('format' in fields) return refusal(400, 'Unknown parameter: format')
    if (path.endsWith('/edits') && headers['content-type'] !== 'application/json')
      return refusal(415, 'No forms.')
    if (path.endsWith('/generations')) return { body: { images: [`${origin}/files/drawn`] } }
    if (path.endsWith('/edits')) return { body: { data: [{ image_url: { url: '/files/edited' } }] } }
    if (path.endsWith('/variations'))
      return { body: [{ url: '/files/varied' }, { url: '/files/variedAgain' }] }
    return path.endsWith('/speech')
      ? sound('application/octet-stream')
      : { body: { text: 'A cat.', language: 'en' } }
  },
}

const refusal = (status: number, message: string): Answer => ({ status, body: { error: { message } } })

test.each([documented, other])(
  'runs a chain of all six tools by ids on $name, without bytes in messages, events and state',
  async ({ options, answer }) => {
    const server = await startMediaServer((request, { origin }) =>
      request.path.endsWith('/chat/completions')
        ? { body: { choices: [{ message: nextOf(steps, request) }] } }
        : answer(request, origin),
    )
    const agent = new Agent({
      model: chatModel('scripted', server.client),
      tools: mediaTools({ client: server.client, ...options }),
    })
    const events: RunEvent[] = []
    const result = await agent.run('Draw, change, vary and describe a cat.', {
      attachments: [clearPng(48, 48)],
      observe: (event) => events.push(event),
    })

    expect(result.text).toBe('Done.')
    expect(result.toolCalls.map(({ name, status, content }) => [name, status, content])).toEqual(
      steps.map(([name]) => [name, 'ok', expect.any(String)]),
    )
    const store = agent.artifacts
    const made = await Promise.all(result.artifacts.map((artifact) => bytesOf(store, artifact)))
    expect(made).toEqual([drawn, edited, varied, variedAgain, wav()])
    const [first, second, ...third] = result.artifacts
    expect(second?.parents?.[0]).toBe(first?.id)
    expect(third.slice(0, 2).map(({ parents }) => parents)).toEqual([[second?.id], [second?.id]])

    const requests = server.arrived
      .filter(({ path }) => path.endsWith('/chat/completions'))
      .map(({ fields }) => fields)
    expect(requests).toHaveLength(steps.length + 1)
    const { messages, state, toolCalls, artifacts, usage } = result
    const all = JSON.stringify([messages, state, toolCalls, artifacts, usage, events, requests])
    expect(all).not.toMatch(/[A-Za-z0-9+/_=-]{1024}/)
    for (const { headers } of server.arrived.filter(({ path }) => path.startsWith('/files/')))
      expect(headers).not.toHaveProperty('authorization')
  },
)

const steps: readonly ChainStep[] = [
  ['generate_image', () => ({ prompt: 'a cat', size: '48x48' })],
  ['edit_image', ({ newest, mask }) => ({ image: newest, mask, prompt: 'a hat' })],
  ['vary_image', ({ newest }) => ({ image: newest, n: 2 })],
  ['speak', () => ({ input: 'A cat with a hat.', format: 'wav' })],
  ['transcribe_audio', ({ recording }) => ({ file: recording })],
  ['translate_audio', ({ recording }) => ({ file: recording })],
]
