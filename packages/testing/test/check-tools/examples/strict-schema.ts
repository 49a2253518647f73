// `error`. With `strict: true`, the server is asked to enforce the schema. Servers support this only for a part of JSON
// Schema: all parameters are required, there are no additional fields, no `oneOf`, and few formats. They reject
// everything else. Only tools with `strict` are checked.
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
