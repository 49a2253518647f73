// Agents whose programs are shown: one makes three calls (the default, for the command line), one waits.
import { Agent, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import * as z from 'zod'
import { codeMode, saveProgram } from '../src/index.js'

export const code = `const first = await tools.add({ a: 1 })
const [second] = await Promise.all([tools.add({ a: first }), tools.add({ a: 5 })])
return second`

/** The program of an agent that pays when a person has approved it. The payee comes from a page that is not trusted. */
export const payCode = `const page = await tools.read_page({})
return tools.pay({ to: page.payee, amount: 12 })`

export function makePayer() {
  const readPage = tool({
    name: 'read_page',
    description: 'Reads the page.',
    parameters: z.object({}),
    untrusted: true,
    effects: 'read',
    execute: () => ({ payee: 'ada' }),
  })
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ to: z.string(), amount: z.number() }),
    needsApproval: true,
    execute: ({ to }) => `paid ${to}`,
  })
  const model = scriptedModel([
    reply.call('run_program', { code: payCode }, { id: 'p' }),
    reply.text('I have paid.'),
  ])
  return new Agent({ name: 'payer', model, tools: [readPage, pay], middleware: [codeMode()] })
}

export const add = tool({
  name: 'add',
  description: 'Adds one.',
  parameters: z.object({ a: z.number() }),
  execute: ({ a }) => a + 1,
})

export function makeAgent() {
  const model = scriptedModel([reply.call('run_program', { code }, { id: 'p' }), reply.text('Three.')])
  return new Agent({ name: 'adder', model, tools: [add], middleware: [codeMode()] })
}

/** An agent that calls a saved program: the one of `makeAgent`, with another number in place of 5. */
export async function makeSaver() {
  const saved = saveProgram(await makeAgent().run('Go'), {
    name: 'add_twice',
    description: 'Adds',
    parameters: { a: 5 },
  })
  const model = scriptedModel([reply.call('add_twice', { a: 7 }, { id: 's' }), reply.text('Three.')])
  return new Agent({ name: 'adder', model, tools: [saved, add] })
}

/** The source of that program, as it runs. */
export const savedCode = `const args = {"a":7}; ${code.replace('a: 5', 'a: args["a"]')}`

export default makeAgent()
