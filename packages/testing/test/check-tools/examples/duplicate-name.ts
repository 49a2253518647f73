// `error`. Two tools have the same name, so a model cannot tell them apart. An agent rejects them in its constructor;
// this rule finds them earlier, also if they come from several places.
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
