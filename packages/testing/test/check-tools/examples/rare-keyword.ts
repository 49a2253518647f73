// `warning`. `not`, `if`, `dependentRequired`, `patternProperties`, `contains` and similar keywords: few
// servers know them. Some refuse the request, others let the model write arguments that are rejected later.
import { jsonSchema } from '@capstan/core'

// #region bad
export const bad = jsonSchema({
  type: 'object',
  properties: {
    user: { type: 'string', not: { const: 'root' }, description: 'Who it is for' },
  },
})
// #endregion

// #region good
export const good = jsonSchema({
  type: 'object',
  properties: { user: { type: 'string', description: 'Who it is for; never root' } },
})
// #endregion
