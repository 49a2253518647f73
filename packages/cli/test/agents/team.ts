import { Agent, agentTool, tool } from '@capstan/core'
import * as z from 'zod'
import { asksThenAnswers } from './asks-then-answers.js'

const lookUp = tool({
  name: 'look_up',
  description: 'Looks a word up',
  parameters: z.object({ word: z.string().describe('One word') }),
  execute: async ({ word }) => {
    if (word === 'nowhere') throw new Error('there is no such word')
    // The first agent to be called is the last to reply.
    if (word === 'sail') await new Promise((resolve) => setTimeout(resolve, 30))
    return `${word}: found`
  },
})

const writeNote = tool({
  name: 'write_note',
  description: 'Writes a note',
  parameters: z.object({ text: z.string().describe('The note') }),
  execute: ({ text }, { artifacts }) =>
    artifacts.put(new TextEncoder().encode(text), { kind: 'text', mediaType: 'text/plain' }),
})

const reader = new Agent({
  name: 'reader',
  model: asksThenAnswers(
    [
      ['look_up', { word: 'sail' }],
      ['look_up', { word: 'nowhere' }],
    ],
    'One of two.',
  ),
  tools: [lookUp],
})

/** Makes two concurrent calls: to an agent, and to a tool that creates an artifact. */
export const agent = new Agent({
  name: 'editor',
  model: asksThenAnswers(
    [
      ['reader', { input: 'Look up "sail" and "nowhere".' }],
      ['write_note', { text: 'sail\nnowhere' }],
    ],
    'I found one word of two.\nIt is in the note.',
  ),
  tools: [agentTool(reader, { description: 'Looks words up' }), writeNote],
  price: { scripted: { inputTokens: 0.000001, outputTokens: 0.000002 } },
})

export { reader }
