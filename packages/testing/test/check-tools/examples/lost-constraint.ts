// `warning`. A check of the schema is lost in JSON Schema, for example the limits of a date. Calls that violate it are
// rejected, and the model could not know.
import * as z from 'zod'

// #region bad
export const bad = z.object({
  day: z.coerce.date().min(new Date('2026-01-01')).describe('First night'),
})
// #endregion

// #region good
export const good = z.object({
  day: z.coerce.date().describe('First night, in 2026 or later'),
})
// #endregion
