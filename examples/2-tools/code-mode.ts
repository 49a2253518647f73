// A program instead of many calls: the model writes it, and each of its calls is a call of the run.

import { codeMode } from '@capstan/code'
import { Agent, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import * as z from 'zod'

const orders = tool({
  name: 'orders',
  description: 'Returns a page of ten orders, and none after the last page.',
  parameters: z.object({ page: z.number() }),
  output: z.array(z.object({ id: z.number(), total: z.number() })),
  effects: 'read',
  execute: ({ page }) =>
    page > 2
      ? []
      : Array.from({ length: 10 }, (_, at) => ({ id: page * 10 + at, total: ((page * 10 + at) * 37) % 100 })),
})
const tag = tool({
  name: 'tag',
  description: 'Adds a tag to an order.',
  parameters: z.object({ id: z.number(), tag: z.string() }),
  execute: ({ id }) => ({ id }),
})

// The program that a model would write.
const code = `const large = []
for (let page = 0; ; page++) {
  const orders = await tools.orders({ page })
  if (orders.length === 0) break
  large.push(...orders.filter(({ total }) => total > 80))
}
await Promise.all(large.map(({ id }) => tools.tag({ id, tag: 'large' })))
return large.length`
const model = scriptedModel([reply.call('run_program', { code }), reply.text('I have tagged 6 orders.')])

// #region agent
const agent = new Agent({ model, tools: [orders, tag], middleware: [codeMode()] })
// #endregion
const result = await agent.run('Tag all orders above 80 as large.')
console.log(model.requests[0]?.tools[0]?.function.description.split('\n\n')[1])
// The calls of the program follow it.
const [program, ...calls] = result.toolCalls
console.log(`${program?.name}: ${program?.content}`)
const { name, arguments: args, via } = calls.at(-1) ?? {}
console.log(`${calls.length} calls in ${result.usage.requests} requests, the last:`, name, args, via)
console.log(result.text)
