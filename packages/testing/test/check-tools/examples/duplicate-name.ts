// `error`. Two tools have the same name, so a model cannot tell them apart. An agent's constructor rejects them. This
// rule finds them earlier, even if they come from different files.
import { tool } from '@capstan/core'
import * as z from 'zod'

// #region bad
export const bad = [
  tool({
    name: 'search',
    description: 'Searches the orders of a customer.',
    parameters: z.object({}),
    execute: () => 'done',
  }),
  tool({
    name: 'search',
    description: 'Finds articles of the help pages.',
    parameters: z.object({}),
    execute: () => 'done',
  }),
]
// #endregion

// #region good
export const good = [
  tool({
    name: 'search_orders',
    description: 'Searches the orders of a customer.',
    parameters: z.object({}),
    execute: () => 'done',
  }),
  tool({
    name: 'search_help',
    description: 'Finds articles of the help pages.',
    parameters: z.object({}),
    execute: () => 'done',
  }),
]
// #endregion
