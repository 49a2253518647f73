import { Agent, type AnyTool, type AnyToolCall, type Middleware } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'

/** Runs calls of tools, one after the other, in an agent without approvals. Returns their results. */
export async function resultsOf(
  {
    tools = [],
    middleware = [],
  }: { readonly tools?: readonly AnyTool[]; readonly middleware?: readonly Middleware[] },
  ...calls: readonly (readonly [name: string, args: Readonly<Record<string, unknown>>])[]
): Promise<readonly AnyToolCall[]> {
  const model = scriptedModel([...calls.map(([name, args]) => reply.call(name, args)), reply.text('Done.')])
  const agent = new Agent({ model, tools, middleware, limits: { steps: calls.length + 2 } })
  const { toolCalls } = await agent.run('Go on.', { unattended: true })
  return toolCalls
}
