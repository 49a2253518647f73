// `info`. Two tools have the same parameters (two or more), start with the same verb and share 40 % of their words. You
// may be able to merge them into one tool with one more parameter.
import { tool } from '@capstan/core'
import * as z from 'zod'

// #region bad
const parameters = z.object({
  room: z.string().describe('Name of a room'),
  lamp: z.string().describe('Name of the lamp'),
})

export const bad = [
  tool({
    name: 'turn_on',
    description: 'Turns a lamp in a room on.',
    parameters,
    execute: () => 'done',
  }),
  tool({
    name: 'turn_off',
    description: 'Turns a lamp in a room off at once.',
    parameters,
    execute: () => 'done',
  }),
]
// #endregion

// #region good
export const good = tool({
  name: 'switch_lamp',
  description: 'Turns a lamp in a room on or off.',
  parameters: z.object({
    room: z.string().describe('Name of a room'),
    lamp: z.string().describe('Name of the lamp'),
    state: z.enum(['on', 'off']).describe('How it is to be'),
  }),
  execute: () => 'done',
})
// #endregion
