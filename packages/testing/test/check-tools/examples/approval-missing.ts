// `warning`. The name or description says that the tool deletes, pays or sends something, which cannot be undone, but
// its settings do not mention approval. If a model makes an error, it takes effect immediately. If you intend that, set
// `needsApproval: false`.
import { tool } from '@capstan/core'
import * as z from 'zod'

// #region bad
export const bad = tool({
  name: 'delete_account',
  description: 'Deletes the account of a customer.',
  parameters: z.object({ customer: z.string().describe('Id of the customer') }),
  execute: () => 'done',
})
// #endregion

// #region good
export const good = tool({
  name: 'delete_account',
  description: 'Deletes the account of a customer.',
  parameters: z.object({ customer: z.string().describe('Id of the customer') }),
  needsApproval: true,
  execute: () => 'done',
})
// #endregion
