// `warning`. An object accepts undeclared fields with any value, as with `z.looseObject`, `z.record` of `z.unknown()`,
// or an object without properties. Models invent fields, and strict servers reject the schema.
import * as z from 'zod'

// #region bad
export const bad = z.object({
  labels: z.record(z.string(), z.unknown()).describe('Of the ticket'),
})
// #endregion

// #region good
export const good = z.object({
  labels: z.record(z.string(), z.string()).describe('Of the ticket, value by name'),
})
// #endregion
