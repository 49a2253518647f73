import { type AnyAgent, type Limits, type OutputSchema, tool } from '@capstan/core'
import { coreOf } from '@capstan/core/internal'

/** An agent as plain JSON. */
export interface AgentInfo {
  readonly name: string
  /** The model. `isNamed`: it was given as a name, for the service of the environment. */
  readonly model: { readonly name: string; readonly isNamed: boolean; readonly structuredOutput: boolean }
  readonly instructions?: { readonly text: string } | { readonly isFunction: true }
  readonly limits: Limits
  readonly settings: Readonly<Record<string, unknown>>
  /** The JSON Schema of the output. */
  readonly output?: unknown
  readonly policies: number
  /** The names of all middlewares, outermost first. */
  readonly middleware: readonly string[]
  readonly tools: readonly string[]
  readonly agents: readonly { readonly name: string; readonly by: 'call' | 'handoff' }[]
}

/** Describes an agent as plain JSON. @throws CapstanError `invalid_request` for a value that `new Agent(...)` did not make */
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

/** Returns the JSON Schema of an output, as shown to models on servers without structured output. */
function toJsonSchema(parameters: OutputSchema['schema']): unknown {
  return tool({ name: 'output', description: 'The output', parameters }).definition.function.parameters
}
