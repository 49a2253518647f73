// `warning`. By its name or description a tool deletes, pays or sends, which cannot be undone, and its
// settings do not mention approval. A model that errs does it at once. `needsApproval: false` confirms that
// this is intended.
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
