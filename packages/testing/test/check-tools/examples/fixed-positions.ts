// `warning`. A tuple is an array with a schema for each position (`prefixItems`, or `items` as an array). Many servers
// reject or ignore tuples, and models confuse the positions.
import * as z from 'zod'

// #region bad
export const bad = z.object({ point: z.tuple([z.number(), z.number()]).describe('Left, top') })
// #endregion

// #region good
export const good = z.object({
  point: z.object({ left: z.number(), top: z.number() }).describe('In pixels'),
})
// #endregion
