import type { RunView, Tool } from '@capstan/core'
import { agentOf, type ProgramTools, runProgramName } from './run-program.js'

export const describeName = 'describe_tools'

/** The tools of code mode itself. */
export const ownNames: readonly string[] = [runProgramName, describeName]

/** Returns the tools that programs of a run may call. The others stay direct ones. */
export function programTools(
  run: RunView,
  chosen: readonly string[] | undefined,
  own = ownNames,
): ProgramTools {
  const names: string[] = []
  const refused: Record<string, string> = {}
  const known = agentOf(run)?.toolset
  const given = run.agents.get(run.agent)?.toolset
  for (const tool of run.toolset.tools) {
    const { name } = tool
    const isOfRun = known !== given && given?.get(name) !== undefined && known?.get(name) === undefined
    const why = own.includes(name)
      ? 'programs start no others'
      : isOfRun
        ? 'it is a tool of this one run'
        : chosen && !chosen.includes(name)
          ? 'it is not among the tools of programs'
          : endsStep(tool)
    if (why === undefined) names.push(name)
    else refused[name] = `A program cannot call "${name}": ${why}. Call it directly.`
  }
  return { names, refused }
}

/** Returns why calls of a tool are about the conversation, and so no part of a program. */
function endsStep({ middleware, settings, endsRun }: Tool): string | undefined {
  if (middleware?.name === 'handoff') return 'it hands the conversation over'
  if (settings.returnDirect || endsRun) return 'its result is the answer of the run'
  return settings.background ? 'it goes on in the background' : undefined
}
