// `warning`. JSON Schema does not define this format, which comes from zod or from you: for example, `cuid2`,
// `starts_with` or `emoji`. No server supports it, and it does not tell a model what to write.
import * as z from 'zod'

// #region bad
export const bad = z.object({ article: z.cuid2().describe('Id of the article') })
// #endregion

// #region good
export const good = z.object({
  article: z
    .string()
    .regex(/^[a-z][0-9a-z]+$/)
    .describe('Id of the article'),
})
// #endregion
