// `info`. A parameter for a date accepts any string, and its description does not name a format. The model writes
// `3/14/26` in one call and `14 March` in the next.
import * as z from 'zod'

// #region bad
export const bad = z.object({ start_date: z.string().describe('When the stay begins') })
// #endregion

// #region good
export const good = z.object({ start_date: z.iso.date().describe('When the stay begins') })
// #endregion
