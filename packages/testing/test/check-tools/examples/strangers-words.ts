import { tool } from '@capstan/core'
import * as z from 'zod'

// #region bad
export const bad = tool({
  name: 'read_page',
  description: 'Fetches a web page and returns its text.',
  parameters: z.object({ url: z.url().describe('With https://') }),
  execute: () => 'done',
})
// #endregion

// #region good
export const good = tool({
  name: 'read_page',
  description: 'Fetches a web page and returns its text.',
  parameters: z.object({ url: z.url().describe('With https://') }),
  untrusted: true,
  execute: () => 'done',
})
// #endregion
