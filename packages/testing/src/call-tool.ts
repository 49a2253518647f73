import {
  Agent,
  type AnyTool,
  type AnyToolCall,
  type ArtifactStore,
  type ChatModel,
  memoryArtifacts,
  type RunEvent,
  without,
} from '@capstan/core'

/** Maximum size of a result in bytes. Practically unlimited, because no model gets the result. */
const maxResultBytes = 2 ** 30

/** Options for calling a tool directly. */
export interface CallToolOptions {
  /** The store for artifacts that the call creates. Default: in memory. */
  readonly artifacts?: ArtifactStore
  readonly signal?: AbortSignal
  /** Receives the events that occur during the call. */
  readonly observe?: (event: RunEvent) => unknown
  readonly context?: unknown
}

/** A tool call with its result, and the error that the tool's function threw, if any. */
export type CallToolResult = AnyToolCall & { readonly thrown?: unknown }

/**
 * Calls a tool with JSON arguments as a run would. If the arguments are invalid, the result contains the message that
 * a model would get. Skips approval, even if the tool requires it.
 */
export async function callTool(
  tool: AnyTool,
  json: string,
  options: CallToolOptions = {},
): Promise<CallToolResult> {
  const { artifacts = memoryArtifacts(), signal, observe } = options
  let thrown: unknown
  const execute = async () => {
    try {
      return await tool.call(JSON.parse(json), { ...options, artifacts } as never)
    } catch (error) {
      thrown = error
      throw error
    }
  }
  const { name, description, parameters, definition } = tool
  // Use only the tool's own function, without what would handle the call in a run, such as a different agent.
  const settings = { maxResultBytes }
  const alone = { name, description, parameters, definition, settings, execute, call: tool.call }
  const agent = new Agent({
    model: oneCallModel(name, json),
    tools: [alone as AnyTool],
    artifacts,
    middleware: [without('final-answer')],
    stopWhen: () => true,
  })
  const [call] = (
    await agent.run(`Call ${name}.`, { ...(signal ? { signal } : {}), ...(observe ? { observe } : {}) })
  ).toolCalls
  if (!call) throw new Error(`The call to ${name} was interrupted before it started.`)
  return { ...(call as AnyToolCall), ...(thrown === undefined ? {} : { thrown }) }
}

function oneCallModel(name: string, json: string): ChatModel {
  const call = { id: 'call_1', type: 'function', function: { name, arguments: json } } as const
  const message = { role: 'assistant', content: null, tool_calls: [call] } as const
  return { name: 'capstan tool', complete: async () => ({ message, finishReason: 'tool_calls' }) }
}
