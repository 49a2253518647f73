// `info`. A parameter is optional and can also be `null`. A model does not know the difference, so it sometimes omits
// the parameter and sometimes sends `null`.
import * as z from 'zod'

// #region bad
export const bad = z.object({ note: z.string().describe('Printed on the card').nullish() })
// #endregion

// #region good
export const good = z.object({ note: z.string().describe('Printed on the card').optional() })
// #endregion
