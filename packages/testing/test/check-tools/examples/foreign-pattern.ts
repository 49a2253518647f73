// `warning`. A pattern contains a lookahead, a lookbehind, a named group, a back reference or `\p{...}`. Servers that
// turn the schema into a grammar do not support these: some reject the request, others ignore the pattern.
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
