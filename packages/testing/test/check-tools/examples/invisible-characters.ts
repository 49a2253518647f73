// `warning`. A description contains characters that a model gets but people do not see: zero-width spaces, marks that
// change the direction of text, or tags. They usually come from copied text, but attackers also use them to hide
// instructions to a model. The joiners that some scripts and emoji need are allowed.
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
