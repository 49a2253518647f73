import { Agent, tool } from '@capstan/core'
import * as z from 'zod'
import { asksThenAnswers } from './asks-then-answers.js'

const knock = tool({
  name: 'knock',
  description: 'Knocks at a door',
  parameters: z.object({ door: z.number().describe('Which one') }),
  execute: () => 'no answer',
})

const model = asksThenAnswers(
  [
    ['knock', { door: 1 }],
    ['knock', { door: 2 }],
  ],
  'I knocked once.',
)

export default new Agent({ model, tools: [knock], limits: { toolCalls: 1 } })
