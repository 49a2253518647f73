// A client of `openai` as the model of an agent, and in the media tools.
import assert from 'node:assert/strict'
import { Agent, jsonSchema, tool } from '@capstan/core'
import { openaiModel } from '@capstan/core/openai'
import { mediaTools } from '@capstan/media'
import OpenAI from 'openai'

const client = new OpenAI()
const model = openaiModel(client, 'planner')
const roll = tool({
  name: 'roll_dice',
  description: 'Rolls dice and returns the sum',
  parameters: jsonSchema({ type: 'object', properties: { dice: { type: 'integer' } }, required: ['dice'] }),
  execute: ({ dice }) => ({ dice, sum: dice * 4 }),
})

const run = new Agent({ model, tools: [roll] }).stream('Roll 3 dice.')
let text = ''
for await (const piece of run.textStream) text += piece
assert.match(text, /sum 12/)

const { artifacts } = await new Agent({ model, tools: mediaTools({ client }) }).run(
  'Draw a red sailboat in 256x192.',
)
assert.deepEqual(
  artifacts.map(({ mediaType, width }) => [mediaType, width]),
  [['image/png', 256]],
)
