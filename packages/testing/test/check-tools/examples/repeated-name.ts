// `warning`. The description only repeats the words of the name. It costs tokens in every request, but tells the model
// nothing.
import { tool } from '@capstan/core'
import * as z from 'zod'

// #region bad
export const bad = tool({
  name: 'get_exchange_rate',
  description: 'This tool gets the exchange rate.',
  parameters: z.object({}),
  execute: () => 'done',
})
// #endregion

// #region good
export const good = tool({
  name: 'get_exchange_rate',
  description: 'How many dollars one euro buys, as of today.',
  parameters: z.object({}),
  execute: () => 'done',
})
// #endregion
