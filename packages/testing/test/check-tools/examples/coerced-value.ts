// `warning`. `z.coerce` accepts any value. The string `"false"` becomes `true`, `null` becomes `0`, an object becomes
// `"[object Object]"`, and the call runs with that value. `z.coerce.date()` and `z.coerce.bigint()` are allowed,
// because their schemas show what they accept.
import * as z from 'zod'

// #region bad
export const bad = z.object({ dry_run: z.coerce.boolean().describe('Only tells what would be done') })
// #endregion

// #region good
export const good = z.object({ dry_run: z.boolean().describe('Only tells what would be done') })
// #endregion
