// `warning`. A description contains characters that a model reads and people do not see: zero-width spaces,
// marks that change the direction of text, tags. They arrive by copying, and are a known way to hide
// instructions to a model in the description of a tool. The rule leaves out joiners that scripts and emoji
// need.
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
