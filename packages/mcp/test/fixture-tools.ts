// What the tests serve in a process of its own.
import { appendFileSync } from 'node:fs'
import { type ToolContext, tool } from '@capstan/core'
import * as z from 'zod'

const add = tool({
  name: 'add',
  description: 'Adds two numbers',
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => ({ sum: a + b }),
})

const talk = tool({
  name: 'talk',
  description: 'Says things beside its result',
  parameters: z.object({}),
  execute: (_args, { progress }: ToolContext) => {
    console.log('a word that is not of the protocol')
    progress('talking')
    return 'talked'
  },
})

const pid = tool({
  name: 'pid',
  description: 'The id of the process',
  parameters: z.object({}),
  execute: () => process.pid,
})

const wait = tool({
  name: 'wait',
  description: 'Waits until it is stopped, and writes into a file that it began and that it was',
  parameters: z.object({ file: z.string() }),
  execute: ({ file }, { signal, progress }: ToolContext) =>
    new Promise((_resolve, reject) => {
      const alive = setInterval(() => {}, 1000)
      signal.addEventListener('abort', () => {
        clearInterval(alive)
        appendFileSync(file, 'stopped')
        reject(signal.reason)
      })
      progress('waiting')
    }),
})

export default [add, talk, pid, wait]
