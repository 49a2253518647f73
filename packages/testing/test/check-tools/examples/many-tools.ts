// `warning`, or `error` for more than 128. There are more than 20 tools. With so many, models choose less reliably, and
// common servers reject more than 128. Let the model search for tools with [`deferred(tools)`](../tools/many-tools.md),
// or distribute them among separate agents.
import { tool } from '@capstan/core'
import * as z from 'zod'

// #region bad
export const bad = Array.from({ length: 21 }, (_, at) =>
  tool({
    name: `dial_${at}`,
    description: `Dials the number of desk ${at}.`,
    parameters: z.object({}),
    execute: () => 'done',
  }),
)
// #endregion

// #region good
export const good = tool({
  name: 'dial_desk',
  description: 'Calls the number of a desk.',
  parameters: z.object({ desk: z.int().min(0).max(20).describe('Number of a desk') }),
  execute: () => 'done',
})
// #endregion
