// `error`. The root of the parameters contains `anyOf`, `oneOf`, `allOf`, `not`, `enum` or `const`. Common servers
// reject the request, because they require a plain object there. (A zod union at the root is already rejected when you
// define the tool.)
import { jsonSchema } from '@capstan/core'

// #region bad
export const bad = jsonSchema({
  type: 'object',
  properties: {
    email: { type: 'string', description: 'Of the customer' },
    phone: { type: 'string', description: 'Of the customer' },
  },
  anyOf: [{ required: ['email'] }, { required: ['phone'] }],
})
// #endregion

// #region good
export const good = jsonSchema({
  type: 'object',
  properties: {
    contact: { type: 'string', description: 'Address or number of the customer' },
  },
  required: ['contact'],
})
// #endregion
