// `warning`. The name or description says that the tool deletes, sends, pays or changes something, but `effects:
// 'read'` declares that it only reads. Its calls therefore run without approval, even after the model has read
// untrusted text.
import { tool } from '@capstan/core'
import * as z from 'zod'

// #region bad
export const bad = tool({
  name: 'update_address',
  description: 'Changes the address of a customer.',
  parameters: z.object({ address: z.string().describe('Street and city') }),
  effects: 'read',
  execute: () => 'done',
})
// #endregion

// #region good
export const good = tool({
  name: 'update_address',
  description: 'Changes the address of a customer.',
  parameters: z.object({ address: z.string().describe('Street and city') }),
  effects: () => 'address',
  execute: () => 'done',
})
// #endregion
