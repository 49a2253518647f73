// `warning`, or `error` if you set `maxTokens` and the tools exceed it. Together, the tools cost more than about 5000
// tokens in every request. If you set `maxTokens`, your CI fails when they grow.
import { tool } from '@capstan/core'
import * as z from 'zod'

// #region bad
const fields = Array.from({ length: 12 }, (_, at) => [
  `field_${at}`,
  z.string().describe('Soft light, warm colours, long shadows. '.repeat(5)),
])

export const bad = Array.from({ length: 10 }, (_, at) =>
  tool({
    name: `draw_${at}`,
    description: `Draws with the pens of box ${at}.`,
    parameters: z.object(Object.fromEntries(fields)),
    execute: () => 'done',
  }),
)
// #endregion

// #region good
export const good = tool({
  name: 'draw_picture',
  description: 'Draws with the pens of a box.',
  parameters: z.object({ box: z.int().min(0).max(9).describe('Which box') }),
  execute: () => 'done',
})
// #endregion
