// `warning`. A schema follows a transform. The model gets only the input of the transform, so the checks after it can
// reject calls that look valid to the model.
import * as z from 'zod'

// #region bad
export const bad = z.object({
  nights: z.string().transform(Number).pipe(z.number().min(1)).describe('How many'),
})
// #endregion

// #region good
export const good = z.object({ nights: z.number().min(1).describe('How many') })
// #endregion
