// Measures a run of 20 calls and 11 replies, as a ratio to the same run without tracing. From this folder: `node
// --conditions=development --import=tsx cost.ts`.
import { Agent, jsonSchema, tool, without } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { telemetry } from '../src/telemetry.js'

type Variants = Readonly<Record<string, () => object>>

const echo = tool({
  name: 'echo',
  description: 'Echo',
  parameters: jsonSchema({ type: 'object', properties: { a: { type: 'number' } } }),
  execute: (args) => args,
})
const steps = Array.from({ length: 10 }, () =>
  reply.calls(reply.call('echo', { a: 1 }), reply.call('echo', { a: 2 })),
)

async function millisecondsOf(toOptions: () => object, runs = 200): Promise<number> {
  const from = performance.now()
  for (let run = 0; run < runs; run++) {
    const agent = new Agent({
      model: scriptedModel([...steps, reply.text('ok')]),
      tools: [echo],
      middleware: [without('stuck-detection')],
    })
    await agent.run('Go', toOptions())
  }
  return (performance.now() - from) / runs
}

/** Variants take turns, so that other load affects all of them. */
async function compare(variants: Variants): Promise<void> {
  const times = new Map(Object.keys(variants).map((name) => [name, [] as number[]]))
  for (let round = 0; round < 9; round++)
    for (const [name, toOptions] of Object.entries(variants))
      times.get(name)?.push(await millisecondsOf(toOptions))
  const base = median(times.get('untraced') ?? [])
  for (const [name, all] of times)
    console.log(`${name}: ${median(all).toFixed(2)} ms, ${(median(all) / base).toFixed(2)} times`)
}

function median(all: readonly number[]): number {
  return all.toSorted((one, other) => one - other)[all.length >> 1] ?? Number.NaN
}

const untraced = () => ({})
await compare({ untraced, 'without a provider': () => telemetry() })
const dropping = { onStart() {}, onEnd() {}, forceFlush: async () => {}, shutdown: async () => {} }
new NodeTracerProvider({ spanProcessors: [dropping] }).register()
await compare({ untraced, traced: () => telemetry(), 'with all content': () => telemetry({ content: true }) })
