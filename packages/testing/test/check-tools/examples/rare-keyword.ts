// `warning`. The schema uses `not`, `if`, `dependentRequired`, `patternProperties`, `contains` or a similar keyword.
// Few servers support these. Some reject the request; others let the model write arguments that are rejected later.
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
