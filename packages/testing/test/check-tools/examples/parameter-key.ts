// `error`. A parameter's name has characters other than letters, digits, `_`, `.` and `-`, or more than 64 of
// them. Some services refuse every request with such a tool.
import * as z from 'zod'

// #region bad
export const bad = z.object({ 'filter[city]': z.string().describe('Only that city') })
// #endregion

// #region good
export const good = z.object({ filter_city: z.string().describe('Only that city') })
// #endregion
