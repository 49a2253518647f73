import { Agent, tool } from '@capstan/core'
import * as z from 'zod'
import { asksThenAnswers } from './asks-then-answers.js'

const pay = tool({
  name: 'pay',
  description: 'Pays a bill',
  parameters: z.object({ amount: z.number().describe('In euros') }),
  needsApproval: true,
  execute: ({ amount }) => ({ paid: amount }),
})

const askUser = tool({
  name: 'ask_user',
  description: 'Asks the user something',
  parameters: z.object({ question: z.string().describe('What to ask') }),
})

export const payer = new Agent({
  name: 'payer',
  model: asksThenAnswers([['pay', { amount: 12 }]], 'The bill is settled.'),
  tools: [pay],
})

export const asker = new Agent({
  name: 'asker',
  model: asksThenAnswers([['ask_user', { question: 'Which one?' }]], 'Thank you.'),
  tools: [askUser],
})
