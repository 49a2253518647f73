import * as z from 'zod'

// #region bad
export const bad = z.object({ start_date: z.string().describe('When the stay begins') })
// #endregion

// #region good
export const good = z.object({ start_date: z.iso.date().describe('When the stay begins') })
// #endregion
