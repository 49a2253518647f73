import * as z from 'zod'

// #region bad
export const bad = z.object({ dry_run: z.coerce.boolean().describe('Only tells what would be done') })
// #endregion

// #region good
export const good = z.object({ dry_run: z.boolean().describe('Only tells what would be done') })
// #endregion
