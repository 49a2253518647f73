// `warning`. A parameter accepts any value (`z.any()`, `z.unknown()`). The model gets no hint about what to write, and
// your function must handle everything.
import * as z from 'zod'

// #region bad
export const bad = z.object({ filter: z.any().describe('Which orders') })
// #endregion

// #region good
export const good = z.object({
  filter: z.object({ status: z.enum(['open', 'paid']) }).describe('Which orders'),
})
// #endregion
