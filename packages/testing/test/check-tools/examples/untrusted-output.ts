// `warning`. A tool brings text of an untrusted source into the conversation, a web page or a mail, and its
// settings do not declare it. A model follows instructions that it finds there. With `untrusted: true`, later
// calls that change things wait for approval. `untrusted: false` declares that the source is your own.
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
