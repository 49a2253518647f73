import { Agent, type AnyTool, type AnyToolCall, type Middleware } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'

/** Runs calls of tools, each in its own run of an agent without approvals. Returns their results. */
export async function resultsOf(
  { tools = [], middleware = [] }: Offered,
  ...calls: readonly (readonly [name: string, args: Readonly<Record<string, unknown>>])[]
): Promise<readonly AnyToolCall[]> {
  const results: AnyToolCall[] = []
  for (const [name, args] of calls) {
    const model = scriptedModel([reply.call(name, args), reply.text('Done.')])
    const { toolCalls } = await new Agent({ model, tools, middleware }).run('Try.', { unattended: true })
    results.push(...toolCalls)
  }
  return results
}

interface Offered {
  readonly tools?: readonly AnyTool[]
  readonly middleware?: readonly Middleware[]
}
