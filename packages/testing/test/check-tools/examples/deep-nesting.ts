// `warning`. Parameters are nested more than five levels deep; an object and an array are one level each. Models make
// errors in them, and servers that enforce a schema have limits of 5 to 10.
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
