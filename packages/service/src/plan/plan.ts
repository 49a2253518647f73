import { assignTools } from './assign-tools.js'
import { toProgress } from './chain.js'
import type { ChatMessage } from './chat-message.js'
import type { Vocabulary } from './clauses.js'
import { toClauses } from './clauses.js'
import { composeAnswer, composeRefusal } from './compose-answer.js'
import type { PlannedCall } from './course.js'
import { fillArguments } from './fill-arguments.js'
import type { PlannerTool, ToolDefinition } from './planner-tool.js'
import { toPlannerTool } from './planner-tool.js'
import { readClause } from './read-clause.js'
import { toScene } from './scene.js'
import { scoreTool, toShare } from './score-tool.js'
import type { Turn } from './turn.js'
import { toTurn } from './turn.js'
import { splitName, weightOf } from './words.js'

/** A conversation and the tools it offers. */
export interface PlanRequest {
  readonly messages: readonly ChatMessage[]
  readonly tools: readonly ToolDefinition[]
  /** Default: `auto`. A name calls that tool, whatever the request says. */
  readonly choice?: 'auto' | 'none' | 'required' | { readonly name: string }
  /** Whether several calls may be made at once. Default: true. */
  readonly parallel?: boolean
  /** The clock that "tomorrow" is counted from. Default: now. */
  readonly now?: Date
}

/** What the planner answers: calls to make, or a text. */
export type Plan = { readonly calls: readonly PlannedCall[] } | { readonly text: string }

/** Plans the next answer from the whole conversation: the calls that can be made now, or the results in words. */
export function plan(request: PlanRequest): Plan {
  const { choice = 'auto', parallel = true, now = new Date() } = request
  const turn = toTurn(request.messages)
  const tools = choice === 'none' ? [] : request.tools.map(toPlannerTool)
  const clauses = toClauses(turn.request, toVocabulary(tools))
  const at = { earlier: turn.earlier.artifacts, attachments: turn.attachments, now }
  const { tasks, unmatched } = assignTools(clauses, tools, at)
  const { next, notes } = toProgress(tasks, turn)
  const chosen = typeof choice === 'object' ? next.filter(({ name }) => name === choice.name) : next
  const calls = chosen.length > 0 ? chosen : toForced(choice, { tools, turn, now })
  if (calls.length > 0) return { calls: parallel ? calls : calls.slice(0, 1) }
  const open =
    tools.length > 0
      ? unmatched.filter(isRequest).map((text) => `Not done: "${text}". None of the tools fits it.`)
      : []
  if (turn.calls.length > 0) return { text: composeAnswer(turn.calls, [...notes, ...open]) }
  const names = tools.map(({ name }) => name)
  return { text: composeRefusal(names, notes) }
}

function toVocabulary(tools: readonly PlannerTool[]): Vocabulary {
  const verbs = tools.map(({ name }) => splitName(name).toLowerCase().split(' ', 1)[0] ?? '')
  const nouns = tools.flatMap(({ nameConcepts }) =>
    [...nameConcepts].filter((concept) => weightOf(concept) === 1),
  )
  return { verbs: new Set(verbs), nouns: new Set(nouns) }
}

interface Stage {
  readonly tools: readonly PlannerTool[]
  readonly turn: Turn
  readonly now: Date
}

// The caller demands a call: the tool it names, or the one that fits best, with what the request gives it.
function toForced(choice: PlanRequest['choice'], { tools, turn, now }: Stage): PlannedCall[] {
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
  return [{ name: best.tool.name, arguments: fillArguments(best.tool.slots, best.scene).arguments }]
}

// What is said besides, such as "Thank you", "I like it" or "The cat is old", asks for nothing.
const remark = new RegExp(
  [
    '^(?:i|we|you|he|she|it|they|there|because|since|as|if|thanks?|thank you|hello|hi|hey|dear|good (?:morning|day|evening|night)|bye|goodbye|great|nice|perfect|sorry|yes|no|sure|well)\\b',
    '^(?:the|an?|my|our|your|his|her|its|their|this|that|these|those)\\b.*\\b(?:is|are|was|were|has|have|had|will|should|must|can|likes?|loves?|needs?)\\b',
  ].join('|'),
  'i',
)

function isRequest(clause: string): boolean {
  return /^\p{L}/u.test(clause) && !remark.test(clause)
}
