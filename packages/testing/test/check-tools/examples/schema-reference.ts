import { jsonSchema } from '@capstan/core'

// #region bad
export const bad = jsonSchema({
  type: 'object',
  properties: { from: { $ref: '#/$defs/place' } },
  $defs: { place: { type: 'string', description: 'Name of a town' } },
})
// #endregion

// #region good
const place = { type: 'string', description: 'Name of a town' }

export const good = jsonSchema({ type: 'object', properties: { from: place } })
// #endregion
