// Regions of this file are shown in docs/guides/tools.md; the test beside it runs them.
import { Agent, effectKeys, jsonSchema, rateLimit, type ToolContext, tool } from '@capstan/core'
import * as z from 'zod'

export interface Library {
  borrow(title: string, key: string): Promise<{ until: string }>
}

// #region tool
export const borrow = tool({
  name: 'borrow_book',
  description: 'Borrows a book from the library',
  parameters: z.object({
    title: z.string().describe('Title of the book'),
    weeks: z.int().min(1).max(4).default(2).describe('How long'),
  }),
  timeoutMs: 10_000,
  async *execute({ title, weeks }, ctx: ToolContext<{ library: Library }>) {
    yield `looking for ${title}`
    const loan = await ctx.context.library.borrow(title, ctx.idempotencyKey)
    return { title, weeks, ...loan }
  },
})
// #endregion

// #region call
export async function borrowByHand(library: Library): Promise<string> {
  const { title, until } = await borrow.call({ title: 'Emma' }, { context: { library } })
  return `${title}, until ${until}`
}
// #endregion

// #region json-schema
export const giveBack = tool({
  name: 'give_back_book',
  description: 'Takes a book back',
  parameters: jsonSchema<{ title: string; isDamaged?: boolean }>({
    type: 'object',
    properties: { title: { type: 'string', minLength: 1 }, isDamaged: { type: 'boolean' } },
    required: ['title'],
  }),
  execute: ({ title, isDamaged = false }) => ({ title, fee: isDamaged ? 12 : 0 }),
})
// #endregion

// #region limits
export const addNote = tool({
  name: 'add_note',
  description: 'Adds a line to a file of notes',
  parameters: z.object({ path: z.string(), line: z.string() }),
  concurrency: 4,
  rate: rateLimit({ calls: 100, intervalMs: 60_000 }),
  effects: ({ path }) => path,
  execute: ({ path, line }) => `Added "${line}" to ${path}.`,
})
export const clerk = new Agent({ model: 'gpt-5-mini', tools: [addNote], middleware: [effectKeys()] })
// #endregion
