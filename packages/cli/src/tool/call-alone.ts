import { Agent, type AnyTool, type AnyToolCall, type ArtifactStore, type ChatModel } from '@capstan/core'

/** What a call needs besides its arguments. */
export interface AloneOptions {
  readonly artifacts: ArtifactStore
  readonly signal: AbortSignal
  readonly context?: unknown
}

/** What came of a call, and what its function threw, if it did. */
export type AloneResult = AnyToolCall & { readonly thrown?: unknown }

/**
 * Calls one tool as a run would, with arguments as a model writes them: what does not fit is told as a model is told
 * it, with an example. Nobody is asked for approval: who calls it so has approved.
 */
export async function callAlone(tool: AnyTool, json: string, options: AloneOptions): Promise<AloneResult> {
  const { artifacts, signal } = options
  let thrown: unknown
  const execute = async () => {
    try {
      return await tool.call(JSON.parse(json), options as never)
    } catch (error) {
      thrown = error
      throw error
    }
  }
  const { name, parameters, definition } = tool
  // The plain function in place of whatever answers its calls in a run, another agent for instance.
  const alone = { name, parameters, definition, settings: { maxResultBytes }, execute, call: tool.call }
  const agent = new Agent({
    model: calling(name, json),
    tools: [alone as AnyTool],
    artifacts,
    landing: false,
    stopWhen: () => true,
  })
  const [call] = (await agent.run(`Call ${name}.`, { signal })).toolCalls
  if (!call) throw new Error(`The call of ${name} was interrupted before it began.`)
  return { ...(call as AnyToolCall), ...(thrown === undefined ? {} : { thrown }) }
}

/** Here nobody has to read it who could read too much. */
const maxResultBytes = 2 ** 30

/** A model that makes one call. */
function calling(name: string, json: string): ChatModel {
  const call = { id: 'call_1', type: 'function', function: { name, arguments: json } } as const
  const message = { role: 'assistant', content: null, tool_calls: [call] } as const
  return { name: 'capstan tool', complete: async () => ({ message, finishReason: 'tool_calls' }) }
}
