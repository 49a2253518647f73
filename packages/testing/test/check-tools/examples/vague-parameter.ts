// `warning`. The parameter is called something like `data`, `x` or `arg1`, and has no description. The model can only
// guess its meaning from the tool.
import * as z from 'zod'

// #region bad
export const bad = z.object({ data: z.string() })
// #endregion

// #region good
export const good = z.object({ postcode: z.string().describe('Five digits, as "20095"') })
// #endregion
