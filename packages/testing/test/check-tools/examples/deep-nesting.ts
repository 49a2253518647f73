// `warning`. Parameters are nested more than five levels deep, where each object or array is one level. Models make
// errors in such arguments, and servers that enforce a schema allow only 5 to 10 levels.
import * as z from 'zod'

// #region bad
export const bad = z.object({
  shop: z
    .object({ hall: z.object({ shelf: z.object({ row: z.object({ box: z.array(z.string()) }) }) }) })
    .describe('What is where'),
})
// #endregion

// #region good
export const good = z.object({
  places: z
    .array(z.object({ hall: z.string(), shelf: z.string(), box: z.string() }))
    .describe('What is where'),
})
// #endregion
