// `warning`. A pattern has flags (`i`, `m`, `s`), which JSON Schema does not support. The model, and a server that
// enforces the schema, get the pattern without them.
import * as z from 'zod'

// #region bad
export const bad = z.object({
  code: z
    .string()
    .regex(/^[a-z]{3}$/i)
    .describe('Three letters'),
})
// #endregion

// #region good
export const good = z.object({
  code: z
    .string()
    .regex(/^[A-Za-z]{3}$/)
    .describe('Three letters'),
})
// #endregion
