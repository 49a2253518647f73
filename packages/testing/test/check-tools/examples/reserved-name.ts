// `error`. The name already has a meaning. `final_answer` is the tool of an agent with `output`, and `auto`, `none` and
// `required` are values of `toolChoice`. Models know `python`, `browser` and `functions` as built-in tools, and send
// them arguments in a different format.
import { tool } from '@capstan/core'
import * as z from 'zod'

// #region bad
export const bad = tool({
  name: 'python',
  description: 'Runs a program in a sandbox and returns what it prints.',
  parameters: z.object({ program: z.string().describe('Source of the program') }),
  execute: () => 'done',
})
// #endregion

// #region good
export const good = tool({
  name: 'run_program',
  description: 'Runs a program in a sandbox and returns what it prints.',
  parameters: z.object({ program: z.string().describe('Source of the program') }),
  execute: () => 'done',
})
// #endregion
