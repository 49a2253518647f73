// `info`. The allowed values are single letters or numbers, and the description does not explain them.
import * as z from 'zod'

// #region bad
export const bad = z.object({ priority: z.enum(['a', 'b']).describe('How urgent it is') })
// #endregion

// #region good
export const good = z.object({ priority: z.enum(['today', 'this_week']).describe('How urgent it is') })
// #endregion
