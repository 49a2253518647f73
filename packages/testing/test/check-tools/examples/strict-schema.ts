// `error`. `strict: true` requests that the server enforces the schema. Servers support only a part of JSON Schema for
// that: all parameters required, no additional fields, no `oneOf`, few formats. They reject everything else. Only tools
// with `strict` are checked.
import { tool } from '@capstan/core'
import * as z from 'zod'

// #region bad
export const bad = tool({
  name: 'book_room',
  description: 'Books a room in the hotel by the lake.',
  parameters: z.object({ nights: z.int().describe('How many').optional() }),
  strict: true,
  execute: () => 'done',
})
// #endregion

// #region good
export const good = tool({
  name: 'book_room',
  description: 'Books a room in the hotel by the lake.',
  parameters: z.strictObject({ nights: z.int().nullable().describe('How many; null for one') }),
  strict: true,
  execute: () => 'done',
})
// #endregion
