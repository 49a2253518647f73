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

/** Maximum bytes of a result. No model reads it, so it is never shortened. */
const maxResultBytes = 2 ** 30

/** The context, artifact store, signal and listener of one direct call. */
export interface CallToolOptions {
  /** The artifact store. Default: in memory. */
  readonly artifacts?: ArtifactStore
  readonly signal?: AbortSignal
  /** Receives the events of the call. */
  readonly observe?: (event: RunEvent) => unknown
  readonly context?: unknown
}

/** A call with its result, and the error that its function threw, if any. */
export type CallToolResult = AnyToolCall & { readonly thrown?: unknown }

/** Calls one tool as a run would, including validation messages for the model. No approval is needed. */
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
  // The plain function replaces whatever answers the calls in a run, such as another agent.
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
  if (!call) throw new Error(`The call of ${name} was interrupted before it began.`)
  return { ...(call as AnyToolCall), ...(thrown === undefined ? {} : { thrown }) }
}

function oneCallModel(name: string, json: string): ChatModel {
  const call = { id: 'call_1', type: 'function', function: { name, arguments: json } } as const
  const message = { role: 'assistant', content: null, tool_calls: [call] } as const
  return { name: 'capstan tool', complete: async () => ({ message, finishReason: 'tool_calls' }) }
}
