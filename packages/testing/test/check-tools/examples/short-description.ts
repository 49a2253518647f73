// `warning`. The description has fewer than three words. Say what the tool does, what it does it to, and what it
// returns.
import { tool } from '@capstan/core'
import * as z from 'zod'

// #region bad
export const bad = tool({
  name: 'get_rate',
  description: 'Exchange rate',
  parameters: z.object({}),
  execute: () => 'done',
})
// #endregion

// #region good
export const good = tool({
  name: 'get_rate',
  description: 'Exchange rate of the euro to the dollar, as of today.',
  parameters: z.object({}),
  execute: () => 'done',
})
// #endregion
