// `warning`. Two tools have the same description, word for word. Only the names are left to choose by.
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
