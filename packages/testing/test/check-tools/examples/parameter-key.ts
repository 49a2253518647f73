// `error`. A parameter's name has more than 64 characters, or contains characters other than letters, digits, `_`, `.`
// and `-`. Some servers reject every request that contains the tool.
import * as z from 'zod'

// #region bad
export const bad = z.object({ 'filter[city]': z.string().describe('Only that city') })
// #endregion

// #region good
export const good = z.object({ filter_city: z.string().describe('Only that city') })
// #endregion
