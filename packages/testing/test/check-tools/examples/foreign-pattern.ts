import * as z from 'zod'

// #region bad
export const bad = z.object({
  user: z
    .string()
    .regex(/^(?!root)[a-z]+$/)
    .describe('Who it is for'),
})
// #endregion

// #region good
export const good = z.object({
  user: z
    .string()
    .regex(/^[a-z]+$/)
    .describe('Who it is for; never root'),
})
// #endregion
