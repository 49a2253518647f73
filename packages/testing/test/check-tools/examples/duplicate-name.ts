// `error`. Two tools of the list have one name. An agent rejects such a list in its constructor; this rule
// finds it earlier in lists from several places. A model tells tools apart by their names only.
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
