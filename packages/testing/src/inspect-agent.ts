import { type AnyAgent, type Limits, type OutputSchema, tool } from '@capstan/core'
import { coreOf } from '@capstan/core/internal'

/** A description of an agent, as plain JSON. */
export interface AgentInfo {
  readonly name: string
  /**
   * The agent's model. If `isNamed` is true, the agent was given only the model's name, so the environment determines
   * which service is used.
   */
  readonly model: { readonly name: string; readonly isNamed: boolean; readonly structuredOutput: boolean }
  readonly instructions?: { readonly text: string } | { readonly isFunction: true }
  readonly limits: Limits
  readonly settings: Readonly<Record<string, unknown>>
  /** The JSON Schema of the agent's `output`. Absent if it has none. */
  readonly output?: unknown
  readonly policies: number
  /** The names of all middlewares, including built-in ones, outermost first. */
  readonly middleware: readonly string[]
  readonly tools: readonly string[]
  readonly agents: readonly { readonly name: string; readonly by: 'call' | 'handoff' }[]
}

/**
 * Describes an agent as plain JSON.
 * @throws CapstanError `invalid_request` for a value that is not an agent
 */
export function inspectAgent(agent: AnyAgent): AgentInfo {
  const { name, options, model, limits, outputSchema, middlewares, toolset } = coreOf(agent)
  const { instructions, settings = {}, policy = [] } = options
  const agents = toolset.tools.flatMap((tool) => {
    const by = tool.run ? ('call' as const) : ('handoff' as const)
    return tool.agent ? [{ name: tool.agent.name, by }] : []
  })
  const isText = typeof instructions === 'string'
  return JSON.parse(
    JSON.stringify({
      name,
      model: {
        name: model.name,
        isNamed: typeof options.model === 'string',
        structuredOutput: model.structuredOutput === true,
      },
      instructions: isText ? { text: instructions } : instructions && { isFunction: true },
      limits,
      settings,
      output: outputSchema && toJsonSchema(outputSchema.schema),
      policies: [policy].flat().length,
      middleware: middlewares.map((one) => one.name),
      tools: toolset.names,
      agents,
    }),
  )
}

/** Returns an output's JSON Schema, in the form that models see if their server does not support structured output. */
function toJsonSchema(parameters: OutputSchema['schema']): unknown {
  return tool({ name: 'output', description: 'The output', parameters }).definition.function.parameters
}
