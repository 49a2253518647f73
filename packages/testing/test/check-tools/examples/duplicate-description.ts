// `warning`. Two tools have exactly the same description, so the model can only choose between them by name.
import { tool } from '@capstan/core'
import * as z from 'zod'

// #region bad
export const bad = [
  tool({
    name: 'search_orders',
    description: 'Searches the database of the shop.',
    parameters: z.object({}),
    execute: () => 'done',
  }),
  tool({
    name: 'search_customers',
    description: 'Searches the database of the shop.',
    parameters: z.object({}),
    execute: () => 'done',
  }),
]
// #endregion

// #region good
export const good = [
  tool({
    name: 'search_orders',
    description: 'Finds orders by article, day or number.',
    parameters: z.object({}),
    execute: () => 'done',
  }),
  tool({
    name: 'search_customers',
    description: 'Finds customers by name or town.',
    parameters: z.object({}),
    execute: () => 'done',
  }),
]
// #endregion
