// The tools of a library. Started as a program, this file serves them over stdio.
import { tool } from '@capstan/core'
import { mcpServer } from '@capstan/mcp'
import * as z from 'zod'

const findBook = tool({
  name: 'find_book',
  description: 'Finds a book by its title',
  parameters: z.object({ title: z.string().describe('Title of the book') }),
  effects: 'read',
  execute: ({ title }) => ({ title, shelf: `${title[0]}${title.length}` }),
})

const lendBook = tool({
  name: 'lend_book',
  description: 'Lends a book to a reader',
  parameters: z.object({
    title: z.string().describe('Title of the book'),
    reader: z.string().describe('Name of the reader'),
  }),
  needsApproval: true,
  execute: ({ title, reader }) => ({ title, reader, weeks: 2 }),
})

export const library = [findBook, lendBook]

if (process.argv[1] === import.meta.filename) mcpServer(library, { name: 'library' }).serveStdio()
