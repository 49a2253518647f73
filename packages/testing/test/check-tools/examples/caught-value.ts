// `warning`. `.catch()` silently replaces an invalid argument. The call then runs with a different value from the one
// that the model sent, and the model cannot correct it.
import * as z from 'zod'

// #region bad
export const bad = z.object({ nights: z.int().min(1).catch(1).describe('How many') })
// #endregion

// #region good
export const good = z.object({ nights: z.int().min(1).default(1).describe('How many') })
// #endregion
