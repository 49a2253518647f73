// `info`. A `$ref` in a JSON Schema. Servers with a subset of JSON Schema do not follow it. Schemas of zod
// are written out; a handwritten schema may not be.
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
