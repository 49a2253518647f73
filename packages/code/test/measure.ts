// What programs cost beside a tool that does nothing, in milliseconds. Of the built package:
// node --conditions=development --import=tsx packages/code/test/measure.ts
import { Agent, type Middleware, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import * as z from 'zod'

const built = new URL('../dist/index.js', import.meta.url).href
const { codeMode } = (await import(built)) as typeof import('../src/index.js')

const nothing = tool({
  name: 'nothing',
  description: 'Does nothing.',
  parameters: z.object({}),
  execute: () => 1,
})

async function timeOf(name: string, args: object, middleware: readonly Middleware[]): Promise<number> {
  const model = scriptedModel([reply.call(name, args), reply.text('ok')])
  const agent = new Agent({ model, tools: [nothing], middleware })
  const began = performance.now()
  await agent.run('Go')
  return performance.now() - began
}

const program = (code: string) => timeOf('run_program', { code }, [codeMode()])
const direct = () => timeOf('nothing', {}, [])

await direct()
const first = await program('return 1')
const [programs, calls, loops]: [number[], number[], number[]] = [[], [], []]
for (let at = 0; at < 100; at++) {
  // A model writes for longer than this.
  await new Promise((resolve) => setTimeout(resolve, 30))
  programs.push(await program('return 1'))
  calls.push(await direct())
}
for (let at = 0; at < 20; at++)
  loops.push(await program('for (let i = 0; i < 100; i++) await tools.nothing()'))
const median = (list: number[]) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0
const shown = {
  first,
  program: median(programs),
  direct: median(calls),
  'a call in a loop': median(loops) / 100,
}
for (const [name, ms] of Object.entries(shown)) console.log(`${name}: ${ms.toFixed(2)} ms`)
