import { appendFile } from 'node:fs/promises'
import { Agent, type ChatModel, jsonSchema, tool } from '@capstan/core'
import { folderRuns, persistent } from '@capstan/durable'

export interface Hoard {
  /** The folder that contains the runs. */
  readonly folder: string
  /** The file that gets a line when a call starts. */
  readonly book: string
  /** The length of its results, in characters. */
  readonly bytes: number
  /** Whether its second call never ends. */
  readonly hangs: boolean
}

/** An agent that calls `bring` twice, with different arguments for each model request. */
export function hoarder({ folder, book, bytes, hangs }: Hoard) {
  const model: ChatModel = {
    name: 'hoarder',
    async complete({ messages }) {
      const turn = messages.filter(({ role }) => role === 'assistant').length
      const call = {
        id: `call-${turn}`,
        type: 'function' as const,
        function: { name: 'bring', arguments: JSON.stringify({ what: crypto.randomUUID() }) },
      }
      return {
        message: {
          role: 'assistant',
          content: turn < 2 ? '' : 'Done.',
          ...(turn < 2 ? { tool_calls: [call] } : {}),
        },
      }
    },
  }
  const bring = tool({
    name: 'bring',
    description: 'Brings something long.',
    parameters: jsonSchema({ type: 'object' }),
    maxResultBytes: 1_000_000,
    execute: async (args, { idempotencyKey, step }) => {
      await appendFile(book, `${idempotencyKey} ${JSON.stringify(args)}\n`)
      if (hangs && step === 1) await new Promise((resolve) => setTimeout(resolve, 60_000))
      return 'x'.repeat(bytes)
    },
  })
  return persistent(new Agent({ name: 'hoarder', model, tools: [bring] }), {
    store: folderRuns(folder),
    pollMs: 5,
  })
}
