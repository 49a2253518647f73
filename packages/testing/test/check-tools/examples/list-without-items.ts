// `error`. An array does not define its items. Common servers reject the request: "array schema missing items".
// `z.array(z.any())` in zod 3 becomes such an array too.
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
