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

/** Milliseconds of a run, without those that the model takes for its first reply. */
async function timeOf(
  name: string,
  args: object,
  middleware: readonly Middleware[],
  modelMs = 0,
): Promise<number> {
  const call = reply.call(name, args)
  const waits = async () => {
    await new Promise((resolve) => setTimeout(resolve, modelMs))
    began = performance.now()
    return call
  }
  const model = scriptedModel([modelMs > 0 ? waits : call, reply.text('ok')])
  const agent = new Agent({ model, tools: [nothing], middleware })
  let began = performance.now()
  await agent.run('Go')
  return performance.now() - began
}

const program = (code: string) => timeOf('run_program', { code }, [codeMode()])
const direct = () => timeOf('nothing', {}, [])

await direct()
// `--waits`: of a model that takes 200 ms, as each real one does. The engine starts meanwhile.
const modelMs = process.argv.includes('--waits') ? 200 : 0
const first = await timeOf('run_program', { code: 'return 1' }, [codeMode()], modelMs)
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
