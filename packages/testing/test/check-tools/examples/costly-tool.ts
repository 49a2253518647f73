// `warning`. The definition of one tool costs more than about 1000 tokens. It is part of every request, whether the
// model calls it or not.
import * as z from 'zod'

// #region bad
export const bad = z.object({
  style: z.string().describe('Soft light, warm colours, long shadows. '.repeat(200)),
})
// #endregion

// #region good
export const good = z.object({ style: z.string().describe('In a few words, as "soft light"') })
// #endregion
