// `warning`. The JSON Schema does not contain one of the schema's checks, such as the limits for a date. Calls that
// violate it are rejected, although the model could not know about it.
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
