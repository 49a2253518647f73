import type { Assignment } from './assign-tools.js'
import { assignTools } from './assign-tools.js'
import type { Vocabulary } from './clauses.js'
import { toClauses } from './clauses.js'
import { fillArguments } from './fill-arguments.js'
import type { PlannerTool } from './planner-tool.js'
import { toScene } from './scene.js'
import type { Task } from './task.js'
import type { Turn } from './turn.js'
import { actionsOf } from './verbs.js'
import { splitName, weightOf } from './words.js'

/** The tasks of the last request; an answer to "which city?" is read as the end of the request it answers. */
export function toTasks(
  { request, attachments, earlier }: Turn,
  tools: readonly PlannerTool[],
  now: Date,
): Assignment {
  const vocabulary = toVocabulary(tools)
  const at = { earlier: earlier.artifacts, attachments, now, turns: earlier.turns }
  const assign = (text: string) => assignTools(toClauses(text, vocabulary), tools, at)
  const alone = assign(request)
  const isCommand = actionsOf(/^\p{L}+/u.exec(request)?.[0] ?? '').size > 0
  if (isCommand && alone.tasks.some(isComplete)) return alone
  let open = ''
  for (const before of [...earlier.turns].reverse()) {
    if (before.calls.length > 0) break
    open = [before.request.replace(/[\s.!?]+$/, ''), open].filter((text) => text !== '').join(', ')
    if (assign(open).tasks.length === 0) continue
    const whole = assign(`${open}, ${request}`)
    if (whole.tasks.length > 0 && whole.tasks.every(isComplete)) return whole
  }
  return alone
}

function isComplete({ tool, reading, base, source }: Task): boolean {
  if (base || source !== undefined) return true
  const missing = fillArguments(tool.slots, toScene(tool, reading, [])).missing
  return missing.every(({ kind }) => kind === 'artifact')
}

function toVocabulary(tools: readonly PlannerTool[]): Vocabulary {
  const verbs = tools.map(({ name }) => splitName(name).toLowerCase().split(' ', 1)[0] ?? '')
  const nouns = tools.flatMap(({ nameConcepts }) =>
    [...nameConcepts].filter((concept) => weightOf(concept) === 1),
  )
  return { verbs: new Set(verbs), nouns: new Set(nouns) }
}
