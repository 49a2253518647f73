// `error`. The description is blank. Models choose tools by their descriptions, and know only the name of this one.
// `tool(...)` itself rejects an empty description.
import { tool } from '@capstan/core'
import * as z from 'zod'

// #region bad
export const bad = tool({
  name: 'get_rate',
  description: ' ',
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
