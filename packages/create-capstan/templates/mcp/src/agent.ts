import { Agent, tool } from '@capstan/core'
import * as z from 'zod'

const shelves = new Map([
  ['Emma', 'A3'],
  ['Ulysses', 'C1'],
])

export const findBook = tool({
  name: 'find_book',
  description: 'Finds a book by its title',
  parameters: z.object({ title: z.string().describe('Title of the book') }),
  effects: 'read',
  execute({ title }) {
    const shelf = shelves.get(title)
    // The model reads the message of the error.
    if (shelf === undefined) throw new Error(`There is no book "${title}".`)
    return { title, shelf }
  },
})

/** An agent with the same tools, to try them without an MCP client. */
export const agent = new Agent({
  name: 'librarian',
  model: process.env.CAPSTAN_MODEL ?? 'gpt-5-mini',
  instructions: 'You help readers to find books.',
  tools: [findBook],
})
