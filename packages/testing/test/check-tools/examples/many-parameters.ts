// `warning`. The tool has more than 100 parameters, including the fields of objects. Servers that enforce a schema have
// limits of 100 or more, and models forget some of the parameters.
import * as z from 'zod'

// #region bad
const switches = Array.from({ length: 101 }, (_, at) => [`lamp_${at}`, z.boolean()] as const)

export const bad = z.object({
  house: z.object(Object.fromEntries(switches)).describe('Which lamps are on'),
})
// #endregion

// #region good
export const good = z.object({
  on: z.array(z.int().min(0).max(100)).describe('Numbers of the lamps that are on'),
})
// #endregion
