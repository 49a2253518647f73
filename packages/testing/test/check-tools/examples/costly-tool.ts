// `warning`. The definition of this tool costs more than about 1000 tokens. It is part of every request, whether or not
// the model calls the tool.
import * as z from 'zod'

// #region bad
export const bad = z.object({
  style: z.string().describe('Soft light, warm colours, long shadows. '.repeat(200)),
})
// #endregion

// #region good
export const good = z.object({ style: z.string().describe('In a few words, as "soft light"') })
// #endregion
