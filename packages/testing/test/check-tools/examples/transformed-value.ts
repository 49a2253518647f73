// `info`. Code transforms the value after it is read. The model gets only the input type, here any string, without a
// description of the strings that the code accepts.
import * as z from 'zod'

// #region bad
export const bad = z.object({
  stay: z.object({ nights: z.string().transform(Number) }).describe('How long'),
})
// #endregion

// #region good
export const good = z.object({
  stay: z.object({ nights: z.int().min(1) }).describe('How long'),
})
// #endregion
