// `warning`. A schema follows a transform. The model gets only the input of the transform. The checks after it reject
// calls that the model could not know to be wrong.
import * as z from 'zod'

// #region bad
export const bad = z.object({
  nights: z.string().transform(Number).pipe(z.number().min(1)).describe('How many'),
})
// #endregion

// #region good
export const good = z.object({ nights: z.number().min(1).describe('How many') })
// #endregion
