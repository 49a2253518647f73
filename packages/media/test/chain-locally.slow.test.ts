import { Agent, chatModel, lineage, type RunEvent } from '@capstan/core'
import { startService } from '@capstan/service'
import { expect, onTestFinished, test } from 'vitest'
import { mediaTools } from '../src/index.js'
import { type ChainStep, nextOf } from './chain-steps.js'
import { startMediaServer } from './media-server.js'
import { clearPng } from './png.js'

const steps: readonly ChainStep[] = [
  ['generate_image', () => ({ prompt: 'a cat in a meadow', size: '64x64' })],
  ['edit_image', ({ newest, mask }) => ({ image: newest, mask, prompt: 'add a red balloon' })],
  ['vary_image', ({ newest }) => ({ image: newest })],
  ['vary_image', ({ newest }) => ({ image: newest })],
  ['speak', () => ({ input: 'She plays the piano every evening after dinner.', voice: 'onyx' })],
  ['transcribe_audio', ({ recording }) => ({ file: recording })],
  ['translate_audio', ({ recording }) => ({ file: recording })],
]

test('runs a chain of all six tools by ids on the local service, and stores no bytes in the conversation', {
  timeout: 90_000,
}, async () => {
  const log: string[] = []
  const service = await startService({ log: (line) => log.push(line) })
  onTestFinished(() => service.close())
  const model = await startMediaServer((request) => ({
    body: { choices: [{ message: nextOf(steps, request) }] },
  }))
  const agent = new Agent({
    model: chatModel('scripted', model.client),
    tools: mediaTools({ client: service }),
  })
  const events: RunEvent[] = []
  const result = await agent.run('Draw, change, vary and describe a cat.', {
    attachments: [clearPng(64, 64)],
    observe: (event) => events.push(event),
  })
  expect(result.text).toBe('Done.')
  const told = result.toolCalls.map(({ name, status, content }) => [name, status, content])
  expect(told).toEqual(steps.map(([name]) => [name, 'ok', expect.any(String)]))
  expect(told.at(-2)?.[2]).toContain('she plays the piano every evening after dinner')

  const pictures = result.artifacts.filter(({ kind }) => kind === 'image')
  const line = await lineage(agent.artifacts, pictures.at(-1)?.id ?? '')
  expect(line.flatMap(({ origin }) => origin?.tool ?? [])).toEqual([
    'generate_image',
    'edit_image',
    'vary_image',
    'vary_image',
  ])
  const { messages, state, toolCalls, artifacts, usage } = result
  const bodies = model.arrived.map(({ fields }) => fields)
  const all = JSON.stringify([messages, state, toolCalls, artifacts, usage, events, bodies, log])
  expect(all).not.toMatch(/[A-Za-z0-9+/_=-]{1024}/)
})
