// `error`. An array does not define its items. Common servers reject the request: "array schema missing items". A
// `z.array(z.any())` of zod 3 becomes an array like this too.
import { jsonSchema } from '@capstan/core'

// #region bad
export const bad = jsonSchema({
  type: 'object',
  properties: { tags: { type: 'array', description: 'Words to find it by' } },
})
// #endregion

// #region good
export const good = jsonSchema({
  type: 'object',
  properties: {
    tags: { type: 'array', items: { type: 'string' }, description: 'Words to find it by' },
  },
})
// #endregion
