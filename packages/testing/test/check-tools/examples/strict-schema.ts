// `error`. `strict: true` asks the server to enforce the schema. Servers that can, accept only a part of JSON
// Schema: all parameters required, no additional fields, no `oneOf`, few formats. They refuse everything
// else. The rule checks only tools with `strict`.
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
