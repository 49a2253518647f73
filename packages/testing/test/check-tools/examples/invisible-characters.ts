import { tool } from '@capstan/core'
import * as z from 'zod'

// #region bad
export const bad = tool({
  name: 'get_rate',
  description: 'Exchange rate of the euro\u200b to the dollar.',
  parameters: z.object({}),
  execute: () => 'done',
})
// #endregion

// #region good
export const good = tool({
  name: 'get_rate',
  description: 'Exchange rate of the euro to the dollar.',
  parameters: z.object({}),
  execute: () => 'done',
})
// #endregion
