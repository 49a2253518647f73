// `info`. A flag is true by default. Models omit flags that they do not need, and so turn this one on.
import * as z from 'zod'

// #region bad
export const bad = z.object({ photos: z.boolean().default(true).describe('Whether photos are sent, too') })
// #endregion

// #region good
export const good = z.object({ skip_photos: z.boolean().default(false).describe('Sends no photos') })
// #endregion
