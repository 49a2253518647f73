import { tool } from '@capstan/core'
import * as z from 'zod'

// #region bad
const manual = 'Writes a letter. Begin with a greeting, and end with a name. '.repeat(20)

export const bad = tool({
  name: 'write_letter',
  description: manual,
  parameters: z.object({}),
  execute: () => 'done',
})
// #endregion

// #region good
export const good = tool({
  name: 'write_letter',
  description: 'Writes a letter on paper of the firm, with greeting and signature.',
  parameters: z.object({}),
  execute: () => 'done',
})
// #endregion
