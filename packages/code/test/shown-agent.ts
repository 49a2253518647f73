// An agent whose program makes three calls, for the command line.
import { Agent, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import * as z from 'zod'
import { codeMode } from '../src/index.js'

export const code = `const first = await tools.add({ a: 1 })
const [second] = await Promise.all([tools.add({ a: first }), tools.add({ a: 5 })])
return second`

export function makeAgent() {
  const add = tool({
    name: 'add',
    description: 'Adds one.',
    parameters: z.object({ a: z.number() }),
    execute: ({ a }) => a + 1,
  })
  const model = scriptedModel([reply.call('run_program', { code }, { id: 'p' }), reply.text('Three.')])
  return new Agent({ name: 'adder', model, tools: [add], middleware: [codeMode()] })
}

export default makeAgent()
