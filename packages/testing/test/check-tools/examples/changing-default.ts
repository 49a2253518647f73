// `warning`. The default has a new value each time that it is read. Every request shows the model the value from when
// the tool was defined, and the model takes it to be current.
import * as z from 'zod'

// #region bad
let last = 0

export const bad = z.object({
  order_number: z
    .int()
    .default(() => ++last)
    .describe('Counted by the shop'),
})
// #endregion

// #region good
export const good = z.object({
  order_number: z.int().describe('Without it, the next one is taken').optional(),
})
// #endregion
