import * as z from 'zod'

// #region bad
export const bad = z.object({
  nights: z.string().transform(Number).pipe(z.number().min(1)).describe('How many'),
})
// #endregion

// #region good
export const good = z.object({ nights: z.number().min(1).describe('How many') })
// #endregion
