import { fillArguments } from './fill-arguments.js'
import type { PlannerTool } from './planner-tool.js'
import { toDefiniteNouns } from './reference.js'
import { toScene } from './scene.js'
import type { Task } from './task.js'

/** The tool that must be asked before a clause can be done: "draw the weather in Oslo" needs one that knows it. */
export function findLookup({ reading, tool }: Task, tools: readonly PlannerTool[]): PlannerTool | undefined {
  const passesOn = tool.makes !== undefined || tool.actions.has('send')
  if (!passesOn || tool.worksOn) return undefined
  const nouns = toDefiniteNouns(reading.masked).filter((noun) => !tool.nameConcepts.has(noun))
  return tools.find((one) => {
    if (one === tool || one.makes || !nouns.some((noun) => one.nameConcepts.has(noun))) return false
    const { missing, evidence } = fillArguments(one.slots, toScene(one, reading, []))
    return missing.length === 0 && evidence >= 1
  })
}
