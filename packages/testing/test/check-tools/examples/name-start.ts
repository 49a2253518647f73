// `warning`. The name starts with a digit, `_` or `-`. Some servers require a letter at the start, or a letter or `_`,
// and reject any request that contains the tool.
import { tool } from '@capstan/core'
import * as z from 'zod'

// #region bad
export const bad = tool({
  name: '3d_view',
  description: 'Draws a house from above and returns the picture.',
  parameters: z.object({}),
  execute: () => 'done',
})
// #endregion

// #region good
export const good = tool({
  name: 'draw_view',
  description: 'Draws a house from above and returns the picture.',
  parameters: z.object({}),
  execute: () => 'done',
})
// #endregion
