import { toTasks } from './assign-tools.js'
import { composeRefusal, composeReply } from './compose-reply.js'
import { type ChatMessage, toTurn } from './conversation.js'
import { toProgress } from './next-calls.js'
import { type ToolDefinition, toPlannerTools } from './planner-tool.js'
import type { PlannedCall } from './task.js'
import { type Choice, toRequiredCalls } from './tool-choice.js'

/** A conversation and the tools it offers. */
export interface PlanRequest {
  readonly messages: readonly ChatMessage[]
  readonly tools: readonly ToolDefinition[]
  /** Default: `auto`. A name requires a call of that tool. */
  readonly choice?: Choice
  /** Whether several calls may be made at once. Default: true. */
  readonly parallel?: boolean
  /** The current time, for "tomorrow". Default: now. */
  readonly now?: Date
}

/** The result of the planner: calls, or a text. */
export type Plan = { readonly calls: readonly PlannedCall[] } | { readonly text: string }

/**
 * Plans the next reply from the whole conversation: the calls that are possible now, or a summary of the
 * results.
 */
export function plan(request: PlanRequest): Plan {
  const { choice = 'auto', parallel = true, now = new Date() } = request
  const turn = toTurn(request.messages)
  const tools = choice === 'none' ? [] : toPlannerTools(request.tools)
  const { tasks, unmatched } = toTasks(turn, tools, now)
  const { next, notes } = toProgress(tasks, turn)
  const chosen = typeof choice === 'object' ? next.filter(({ name }) => name === choice.name) : next
  const calls = chosen.length > 0 ? chosen : toRequiredCalls(choice, { tools, turn, now })
  if (calls.length > 0) return { calls: parallel ? calls : calls.slice(0, 1) }
  const open =
    tools.length > 0
      ? unmatched.filter(isRequest).map((text) => `Not done: "${text}". None of the tools fits it.`)
      : []
  const blind = turn.unseen.length > 0 ? [describeUnseen(turn.unseen)] : []
  if (turn.calls.length > 0) return { text: composeReply(turn.calls, [...notes, ...open, ...blind]) }
  const names = tools.map(({ name }) => name)
  return { text: composeRefusal(names, [...notes, ...blind]) }
}

function describeUnseen(unseen: readonly string[]): string {
  const kinds = [...new Set(unseen)].map((kind) => `the ${kind}`).join(' and ')
  return `I can neither see nor hear: ${kinds} in the message was ignored.`
}

// Remarks such as "Thank you", "I like it" or "The cat is old" are not requests.
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
