// `warning`. The description has more than 1024 characters. Some servers reject it, and you pay for it in every
// request. Move text about a parameter to that parameter, and text about the task to the agent's instructions.
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
