import type { Toolset } from '../tool/toolset.js'
import { CapstanError } from '../words/error.js'
import type { ToolDefinition, WireToolChoice } from '../words/message.js'
import type { RunState } from '../words/state.js'
import type { RunPlan, StepChanges, ToolChoice } from './walk.js'

/** The tools of one request, and how free the model is among them. */
export interface Offer {
  readonly tools: readonly ToolDefinition[]
  readonly toolChoice: WireToolChoice
}

export const nothing: Offer = { tools: [], toolChoice: 'auto' }

/** What a request offers. @throws CapstanError `unknown_tool` for a name that no tool has */
export function toOffer({ flags }: RunState, plan: RunPlan, changes: StepChanges): Offer {
  const isForcedOnce = flags.forcedChoiceUsed && !flags.misshapen
  const choice = changes.toolChoice ?? (isForcedOnce ? 'auto' : plan.toolChoice)
  if (choice === 'none') return plan.output ? onlyOutput(plan) : nothing
  const withheld = flags.withheld ?? []
  const tools = toTools(plan.toolset, changes.tools && [...changes.tools, ...outputName(plan)], withheld)
  return { tools, toolChoice: isForced(choice, withheld) ? 'auto' : toWireChoice(choice, tools) }
}

/** The model must be able to answer, whatever else it may do. */
function onlyOutput({ toolset, output }: RunPlan): Offer {
  const tool = output && toolset.get(output.tool.name)
  return tool ? { tools: [tool.definition], toolChoice: 'auto' } : nothing
}

function outputName({ toolset, output }: RunPlan): string[] {
  return output && toolset.get(output.tool.name) ? [output.tool.name] : []
}

function toTools(
  toolset: Toolset,
  names: readonly string[] | undefined,
  withheld: readonly string[],
): readonly ToolDefinition[] {
  // The whole list as it is: it is written to JSON once.
  if (!names && withheld.length === 0) return toolset.definitions
  const wanted = (names ?? toolset.names).filter((name) => !withheld.includes(name))
  return wanted.map((name) => {
    const tool = toolset.get(name)
    if (!tool) throw unknownTool(name, toolset.names)
    return tool.definition
  })
}

/** Whether one of these tools is forced. */
function isForced(choice: ToolChoice, names: readonly string[]): boolean {
  return names.includes(typeof choice === 'string' ? choice : choice.function.name)
}

function toWireChoice(choice: ToolChoice, tools: readonly ToolDefinition[]): WireToolChoice {
  if (choice === 'auto' || choice === 'none' || tools.length === 0) return 'auto'
  if (choice === 'required') return 'required'
  const forced =
    typeof choice === 'string' ? { type: 'function' as const, function: { name: choice } } : choice
  const names = tools.map((tool) => tool.function.name)
  if (!names.includes(forced.function.name)) throw unknownTool(forced.function.name, names)
  return forced
}

function unknownTool(name: string, names: readonly string[]): CapstanError {
  const message = `There is no tool "${name}" to offer or force. The tools are: ${names.join(', ')}.`
  return new CapstanError('unknown_tool', message, { evidence: { name } })
}
