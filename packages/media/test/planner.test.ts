import { Agent, chatModel } from '@capstan/core'
import { estimateTokenCount } from 'tokenx'
import { expect, test } from 'vitest'
import { localService } from '../../service/test/local-service.js'
import { mediaTools } from '../src/index.js'
import { clearPng, png } from './png.js'

// Descriptions and parameters are written for models: a simple model must call the tools correctly by them alone.
const { service } = localService()

const picture = png(64, 48)
const id = expect.stringMatching(/^img_/)

test.each([
  {
    input: 'Draw a house in 128x96, add a red balloon to it, then make 2 variations of it.',
    calls: [
      ['generate_image', { prompt: 'a house', size: '128x96' }],
      ['edit_image', { image: id, prompt: 'add a red balloon' }],
      ['vary_image', { image: id, n: 2 }],
    ],
  },
  {
    input: 'Edit the attached picture: add a red balloon.',
    attachments: [picture],
    calls: [['edit_image', { image: id, prompt: 'add a red balloon' }]],
  },
  {
    input: 'Edit the picture with the mask: add a tree.',
    attachments: [picture, clearPng(64, 48)],
    calls: [['edit_image', { image: id, mask: id, prompt: 'add a tree' }]],
  },
  {
    input: 'Make three variations of the attached picture.',
    attachments: [picture],
    calls: [['vary_image', { image: id, n: 3 }]],
  },
  { input: 'Say "Good night" aloud.', calls: [['speak', { input: 'Good night' }]] },
])(
  'calls the tools for the prompt "$input" on the local planner',
  async ({ input, attachments = [], calls }) => {
    const allow = { folder: 'pictures', hosts: ['cdn.example.com'] }
    const tools = mediaTools({ client: service, allow })
    const agent = new Agent({ model: chatModel('planner', service), tools })
    const { toolCalls } = await agent.run(input, { attachments })
    expect(toolCalls.map((call) => [call.name, call.arguments])).toEqual(calls)
    expect(toolCalls.map(({ status }) => status)).toEqual(calls.map(() => 'ok'))
  },
)

// The output of token-cost.ts with limits, since every request of every agent pays for it.
test('all six tools take less than 750 tokens of a request, none more than 260', () => {
  const costs = mediaTools().map(({ definition }) => estimateTokenCount(JSON.stringify(definition)))
  expect(Math.max(...costs)).toBeLessThan(260)
  expect(costs.reduce((sum, cost) => sum + cost)).toBeLessThan(750)
})
