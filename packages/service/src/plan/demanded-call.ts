import { completeArguments } from './complete-arguments.js'
import type { PlannedCall } from './course.js'
import type { PlannerTool } from './planner-tool.js'
import { readClause } from './read-clause.js'
import { toScene } from './scene.js'
import { scoreTool, toShare } from './score-tool.js'
import type { Turn } from './turn.js'

/** Whether a tool may be called, must be, or which one. */
export type Choice = 'auto' | 'none' | 'required' | { readonly name: string }

interface Stage {
  readonly tools: readonly PlannerTool[]
  readonly turn: Turn
  readonly now: Date
}

/** The call that a caller demands: of the tool it names, or the one that fits best; none where it demands none. */
export function toDemanded(choice: Choice, { tools, turn, now }: Stage): PlannedCall[] {
  if (choice !== 'required' && typeof choice !== 'object') return []
  const reading = readClause(turn.request, now)
  const made = turn.calls.flatMap(({ artifacts }) => artifacts)
  const atHand = [...turn.earlier.artifacts, ...turn.attachments, ...made]
  const shareOf = toShare(tools)
  const candidates = typeof choice === 'object' ? tools.filter(({ name }) => name === choice.name) : tools
  const scored = candidates.map((tool) => {
    const scene = toScene(tool, reading, atHand)
    return { tool, scene, rank: scoreTool(scene, shareOf).rank }
  })
  const [best] = scored.sort((one, other) => other.rank - one.rank)
  if (!best) return []
  return [{ name: best.tool.name, arguments: completeArguments(best.tool.slots, best.scene) }]
}
