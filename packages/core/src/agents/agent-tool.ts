import { ownParameters } from '../tools/json-schema-lite.js'
import { type Tool, type ToolContext, type ToolSettings, tool } from '../tools/tool.js'

export interface AsToolOptions<Name extends string>
  extends Pick<
    ToolSettings<Record<string, unknown>>,
    'needsApproval' | 'untrusted' | 'returnDirect' | 'maxResultBytes'
  > {
  /** Default: the agent's name. */
  readonly name?: Name
  /** The agent's purpose and when to call it. Default: a sentence with its name. */
  readonly description?: string
  /** `'read'` declares that the agent changes nothing. Default: unknown. */
  readonly effects?: 'read'
}

/** An agent as a tool: it receives `input`, and its final text is the result. */
export type AgentTool<Name extends string, Context> = Tool<{
  name: Name
  input: { input: string }
  args: { input: string }
  result: string
  context: Context
}>

/** Creates the tool of an agent. `run` is called when the tool is called directly. */
export function createAgentTool<Name extends string, Context>(
  agent: string,
  { name: given, description = `Ask ${agent}, another agent.`, ...settings }: AsToolOptions<Name>,
  run: (input: string, context: unknown, signal: AbortSignal) => Promise<string>,
): AgentTool<Name, Context> {
  const toInput = (args: unknown) => (args as { readonly input: string }).input
  const made = tool({
    name: given ?? agent,
    description,
    parameters: ownParameters({
      type: 'object',
      properties: { input: { type: 'string', pattern: '\\S', description: 'What it is to do, in words' } },
      required: ['input'],
    }),
    ...settings,
    execute: (args, { context, signal }: ToolContext) => run(toInput(args), context, signal),
  })
  // The type cannot express the schema's check.
  return { ...made, isDynamic: given === undefined, child: { agent, toInput } } as unknown as AgentTool<
    Name,
    Context
  >
}
