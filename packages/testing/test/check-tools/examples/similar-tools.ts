// `warning`. Two descriptions share 75 % or more of their words, or 90 % if they start with different verbs. Small
// words and word endings do not count. The model's choice between the two is then random.
import { tool } from '@capstan/core'
import * as z from 'zod'

// #region bad
export const bad = [
  tool({
    name: 'find_orders',
    description: 'Finds orders of a customer in the shop by number.',
    parameters: z.object({}),
    execute: () => 'done',
  }),
  tool({
    name: 'look_up_order',
    description: 'Finds the order of a customer in the shop by its number.',
    parameters: z.object({}),
    execute: () => 'done',
  }),
]
// #endregion

// #region good
export const good = [
  tool({
    name: 'find_orders',
    description: 'Lists what a customer has ever ordered, the newest first.',
    parameters: z.object({}),
    execute: () => 'done',
  }),
  tool({
    name: 'look_up_order',
    description: 'Finds one order in the shop by its number.',
    parameters: z.object({}),
    execute: () => 'done',
  }),
]
// #endregion
