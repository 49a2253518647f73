import type { RunView, Tool } from '@capstan/core'
import { agentOf, type ProgramTools, runProgramName } from './run-program.js'

/** The name of the tool that returns declarations. */
export const describeName = 'describe_tools'

/** The tools of code mode itself. */
export const ownNames: readonly string[] = [runProgramName, describeName]

interface ProgramToolsOptions {
  /** The chosen tools. Default: all tools of the agent, except those that middlewares add. */
  readonly chosen?: readonly string[] | undefined
  /** The tools in the last request. Default: all. */
  readonly offered?: readonly string[] | undefined
  /** The tools that run programs. */
  readonly own?: readonly string[]
}

/** Returns the tools that a run's programs may call. Other tools stay direct ones. */
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
    if (own.includes(name)) return 'programs start no others'
    // Hosts know the agent without the tools of one run.
    if (!agent?.toolset.get(name) && run.agents.get(run.agent)?.toolset.get(name))
      return 'it is a tool of this one run'
    if (chosen ? !chosen.includes(name) : !given.has(name)) return 'it is not among the tools of programs'
    if (offered && !offered.includes(name)) return 'it is not offered now'
    return endsStep(tool)
  }
  for (const tool of run.toolset.tools) {
    const reason = why(tool)
    if (reason === undefined) names.push(tool.name)
    else refused[tool.name] = `A program cannot call "${tool.name}": ${reason}. Call it directly.`
  }
  return { names, refused }
}

/** Returns why a tool cannot be part of a program: its calls are about the conversation. */
function endsStep({ middleware, settings, endsRun }: Tool): string | undefined {
  if (middleware?.name === 'handoff') return 'it hands the conversation over'
  if (settings.returnDirect || endsRun) return 'its result is the answer of the run'
  return settings.background ? 'it goes on in the background' : undefined
}
