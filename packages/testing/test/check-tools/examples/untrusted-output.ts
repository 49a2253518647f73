// `warning`. The tool returns text from an untrusted source, such as a web page or a mail, but its settings do not
// declare this. A model can follow instructions in that text. With `untrusted: true`, later calls that change data need
// approval. If the source is your own, set `untrusted: false`.
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
