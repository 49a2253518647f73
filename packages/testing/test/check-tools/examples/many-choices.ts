// `warning`. A parameter has more than 100 allowed values. They cost tokens in every request, and servers limit their
// number.
import * as z from 'zod'

// #region bad
const lamps = Array.from({ length: 101 }, (_, at) => `lamp-${at}`)

export const bad = z.object({ lamp: z.enum(lamps).describe('Which one') })
// #endregion

// #region good
export const good = z.object({
  lamp: z.string().describe('Id of a lamp, as list_lamps returns it'),
})
// #endregion
