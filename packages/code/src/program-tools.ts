import type { RunView, Tool } from '@capstan/core'
import { agentOf, type ProgramTools, runProgramName } from './run-program.js'

/** The name of the tool that returns declarations. */
export const describeName = 'describe_tools'

/** The names of code mode's own tools. */
export const ownNames: readonly string[] = [runProgramName, describeName]

interface ProgramToolsOptions {
  /**
   * The names of the tools that programs may call. Default: all of the agent's tools, except those that middleware
   * adds.
   */
  readonly chosen?: readonly string[] | undefined
  /**
   * The names of the tools in the last request, if that request did not contain all tools. Programs may call only
   * these.
   */
  readonly offered?: readonly string[] | undefined
  /**
   * The names of code mode's own tools, and of the saved program that is running. Programs cannot call any of these.
   * Default: only code mode's own tools.
   */
  readonly own?: readonly string[]
}

/**
 * Returns the tools that a run's programs may call. For all other tools, returns the reason why programs cannot call
 * them.
 */
export function programTools(
  run: RunView,
  { chosen, offered, own = ownNames }: ProgramToolsOptions,
): ProgramTools {
  const names: string[] = []
  const refused: Record<string, string> = {}
  const agent = agentOf(run)
  const given = new Set(agent?.givenTools.flatMap((tool) => tool.members ?? tool).map(({ name }) => name))
  const why = (tool: Tool): string | undefined => {
    const { name } = tool
    if (own.includes(name)) return 'a program cannot start another program'
    // Hosts find an agent by name, without tools that were added for one run only.
    if (!agent?.toolset.get(name) && run.agents.get(run.agent)?.toolset.get(name))
      return 'it was added for this run only'
    if (chosen ? !chosen.includes(name) : !given.has(name)) return 'it is not one of the tools for programs'
    if (offered && !offered.includes(name)) return 'it is not available in this step'
    return endsStep(tool)
  }
  for (const tool of run.toolset.tools) {
    const reason = why(tool)
    if (reason === undefined) names.push(tool.name)
    else refused[tool.name] = `A program cannot call "${tool.name}": ${reason}. Call it directly.`
  }
  return { names, refused }
}

/** Returns the reason why programs cannot call a tool that affects the conversation. Undefined for any other tool. */
function endsStep({ middleware, settings, endsRun }: Tool): string | undefined {
  if (middleware?.name === 'handoff') return 'it hands the conversation over'
  if (settings.returnDirect || endsRun) return "its result is the run's answer"
  return settings.background ? 'it runs in the background' : undefined
}
