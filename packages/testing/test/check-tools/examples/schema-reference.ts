// `info`. The JSON Schema contains a `$ref`. Servers that support only a part of JSON Schema do not follow it.
// References in zod schemas are inlined, but a schema that you write can contain them.
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
