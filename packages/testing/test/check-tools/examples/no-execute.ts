// `info`. The tool has no `execute`. A run that calls it ends as `pending` until your program provides the result. You
// may intend this, or may have forgotten `execute`.
import { tool } from '@capstan/core'
import * as z from 'zod'

// #region bad
export const bad = tool({
  name: 'get_rate',
  description: 'Exchange rate of the euro to the dollar.',
  parameters: z.object({}),
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
