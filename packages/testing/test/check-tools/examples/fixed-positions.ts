import * as z from 'zod'

// #region bad
export const bad = z.object({ point: z.tuple([z.number(), z.number()]).describe('Left, top') })
// #endregion

// #region good
export const good = z.object({
  point: z.object({ left: z.number(), top: z.number() }).describe('In pixels'),
})
// #endregion
