// `warning`, `info` where there is a description. A refinement (`refine`, `superRefine`, `check`, a custom
// schema) is code that no JSON Schema can express, so the model learns of it by a rejection. Put the rule
// into the description. A description with the message of the refinement is enough. With another description,
// the finding is only a hint.
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
