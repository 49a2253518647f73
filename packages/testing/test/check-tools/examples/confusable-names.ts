// `warning`. Two names differ only in case, in the use of `-` and `_`, or in word order. Models confuse them, and some
// servers change these characters.
import { tool } from '@capstan/core'
import * as z from 'zod'

// #region bad
export const bad = [
  tool({
    name: 'user_get',
    description: 'Returns the profile of a person.',
    parameters: z.object({}),
    execute: () => 'done',
  }),
  tool({
    name: 'getUser',
    description: 'Asks who is logged in at the terminal.',
    parameters: z.object({}),
    execute: () => 'done',
  }),
]
// #endregion

// #region good
export const good = [
  tool({
    name: 'get_profile',
    description: 'Returns the profile of a person.',
    parameters: z.object({}),
    execute: () => 'done',
  }),
  tool({
    name: 'who_am_i',
    description: 'Asks who is logged in at the terminal.',
    parameters: z.object({}),
    execute: () => 'done',
  }),
]
// #endregion
