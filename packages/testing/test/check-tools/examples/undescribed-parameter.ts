// `warning`. Neither the parameter nor its parts nor the object that contains it has a description. A name such as
// `city` does not tell the model which language to use, whether to add the country, or whether an id is accepted.
import * as z from 'zod'

// #region bad
export const bad = z.object({ address: z.object({ street: z.string(), city: z.string() }) })
// #endregion

// #region good
export const good = z.object({
  address: z
    .object({ street: z.string(), city: z.string() })
    .describe('Where the parcel goes, in the words of the country'),
})
// #endregion
