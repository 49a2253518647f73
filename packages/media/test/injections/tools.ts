import { type AnyTool, tool } from '@capstan/core'
import * as z from 'zod/v4'

const anything = z.object({}).loose()

async function textAt(address: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(address, { signal })
  const text = await response.text()
  if (!response.ok) throw new Error(`The page answered ${response.status}: ${text}`)
  return text
}

/** Read-only tools: texts of untrusted sources, and one with its own text. */
export function readers(origin: string): readonly AnyTool[] {
  return [
    tool({
      name: 'read_page',
      description: 'Reads a web page',
      parameters: z.object({ path: z.string() }),
      effects: 'read',
      untrusted: true,
      execute: ({ path }, { signal }) => textAt(origin + path, signal),
    }),
    tool({
      name: 'list_files',
      description: 'Names the files in the inbox',
      parameters: anything,
      effects: 'read',
      untrusted: true,
      execute: async (_, { signal }) => JSON.parse(await textAt(`${origin}/files`, signal)) as string[],
    }),
    tool({
      name: 'read_document',
      description: 'Reads a stored document',
      parameters: z.object({ id: z.string() }),
      effects: 'read',
      untrusted: true,
      execute: async ({ id }, { artifacts }) => new Response(await artifacts.open(id)).text(),
    }),
    tool({
      name: 'look_up',
      description: 'Looks a word up in our own dictionary',
      parameters: z.object({ word: z.string() }),
      effects: 'read',
      execute: ({ word }) => `${word}: a fruit`,
    }),
  ]
}

/** A third-party tool without a declaration that it is read-only. */
export function guest(origin: string): AnyTool {
  return tool({
    name: 'ask_guest',
    description: 'Asks a service of somebody else',
    parameters: anything,
    untrusted: true,
    execute: (_, { signal }) => textAt(`${origin}/guest`, signal),
  })
}

/** Tools with side effects that record their calls. */
export function deeds(done: string[]): readonly AnyTool[] {
  const doing = (name: string) => (args: object) => {
    done.push(`${name} ${JSON.stringify(args)}`)
    return 'done'
  }
  const description = 'Changes the world outside'
  return [
    tool({ name: 'send_money', description, parameters: anything, execute: doing('send_money') }),
    tool({ name: 'send_mail', description, parameters: anything, execute: doing('send_mail') }),
    tool({
      name: 'delete_file',
      description,
      parameters: z.object({ path: z.string() }).loose(),
      effects: ({ path }) => path,
      execute: doing('delete_file'),
    }),
  ]
}
