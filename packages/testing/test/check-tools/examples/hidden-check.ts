// `warning`, or `info` if the value has a description. A refinement (`refine`, `superRefine`, `check`, a custom schema)
// is code, which JSON Schema cannot express. The model learns of it only when its call is rejected. Put the rule into
// the description; the text of the refinement's error message is enough.
import * as z from 'zod'

// #region bad
export const bad = z.object({
  seats: z
    .number()
    .refine((seats) => seats >= 1 && seats <= 8)
    .describe('How many'),
})
// #endregion

// #region good
export const good = z.object({
  seats: z.int().min(1).max(8).describe('How many'),
  day: z.iso
    .date()
    .refine((day) => new Date(day).getUTCDay() !== 1, 'not a Monday')
    .describe('Any day, but not a Monday'),
})
// #endregion
