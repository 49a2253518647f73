import { Agent, type AnyAgent, type AnyTool, type ChatModel, without } from '@capstan/core'

/**
 * Returns an agent that calls a tool once and then ends, and the agent's input. The call needs no approval, because the
 * user makes it.
 */
export function oneCallAgent(
  tool: AnyTool,
  json: string,
): { readonly agent: AnyAgent; readonly input: string } {
  const { name, settings } = tool
  const { timeoutMs } = settings
  // No model gets the result, so it need not be shortened.
  const kept = { maxResultBytes: 2 ** 30, ...(timeoutMs === undefined ? {} : { timeoutMs }) }
  const agent = new Agent({
    name,
    model: oneCallModel(name, json),
    tools: [{ ...tool, settings: kept }],
    middleware: [without('final-answer')],
    stopWhen: () => true,
  })
  return { agent, input: `Call ${name}.` }
}

function oneCallModel(name: string, json: string): ChatModel {
  const call = { id: 'call_1', type: 'function', function: { name, arguments: json } } as const
  const message = { role: 'assistant', content: null, tool_calls: [call] } as const
  return { name: 'studio', complete: async () => ({ message, finishReason: 'tool_calls' }) }
}
