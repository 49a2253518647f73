import { Agent, type AnyTool } from '@capstan/core'
import { reply, type ScriptedModel, scriptedModel } from '@capstan/testing'

type Call = readonly [name: string, args?: Readonly<Record<string, unknown>>]

/** Runs an agent whose model makes these calls in one reply, and then ends. */
export async function runCalls(tools: readonly AnyTool[], calls: readonly Call[], options = {}) {
  const model: ScriptedModel = scriptedModel([
    reply.calls(...calls.map(([name, args = {}]) => reply.call(name, args))),
    reply.text('Done.'),
  ])
  const agent = new Agent({ model, tools })
  const run = agent.stream('Go', options)
  const events: unknown[] = []
  for await (const event of run) events.push(event)
  const result = await run.result
  return { ...result, events, model, results: result.toolCalls.map((call) => call.result) }
}
