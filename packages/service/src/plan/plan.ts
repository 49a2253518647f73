import { type Assignment, toTasks } from './assign-tools.js'
import { composeRefusal, composeReply } from './compose-reply.js'
import { type ChatMessage, type Turn, toTurn } from './conversation.js'
import { renderDate } from './dates.js'
import { fillArguments } from './fill-arguments.js'
import { type FillContext, toFillContext } from './fill-context.js'
import { toProgress } from './next-calls.js'
import { type PlannerTool, type ToolDefinition, toPlannerTools } from './planner-tool.js'
import { readClause } from './read-clause.js'
import { scoreTools, toRarity } from './score-tool.js'
import type { Slot } from './slots.js'
import type { PlannedCall } from './task.js'

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
  const { tools, tasks, unmatched } = assignmentOf(turn, choice === 'none' ? [] : request.tools, now)
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

interface KnownAssignment extends Assignment {
  readonly tools: readonly PlannerTool[]
}

/**
 * Returns the tasks of a request. An agent asks again after each result, with the same request and tools: the
 * tasks of the latest requests are kept. They depend on the day, not on the time.
 */
function assignmentOf(turn: Turn, definitions: readonly ToolDefinition[], now: Date): KnownAssignment {
  const { request, attachments, earlier } = turn
  const key = JSON.stringify([renderDate(now), request, attachments, earlier, definitions])
  const known = assigned.get(key)
  if (known) return known
  const tools = toPlannerTools(definitions)
  const found = { tools, ...toTasks(turn, tools, now) }
  if (assigned.size >= mostAssigned) assigned.clear()
  if (key.length <= longestKept) assigned.set(key, found)
  return found
}

const assigned = new Map<string, KnownAssignment>()
const mostAssigned = 64
const longestKept = 20_000

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

/** The tool choice of a request: optional, none, required, or one tool. */
export type Choice = 'auto' | 'none' | 'required' | { readonly name: string }

interface ToolChoiceContext {
  readonly tools: readonly PlannerTool[]
  readonly turn: Turn
  readonly now: Date
}

/**
 * Returns the call that the request requires: of the named tool, or of the best match. Empty when it requires
 * none.
 */
function toRequiredCalls(choice: Choice, { tools, turn, now }: ToolChoiceContext): PlannedCall[] {
  if (choice !== 'required' && typeof choice !== 'object') return []
  const reading = readClause(turn.request, now)
  const made = turn.calls.flatMap(({ artifacts }) => artifacts)
  const atHand = [...turn.earlier.artifacts, ...turn.attachments, ...made]
  const shareOf = toRarity(tools)
  const candidates = typeof choice === 'object' ? tools.filter(({ name }) => name === choice.name) : tools
  const contexts = candidates.map((tool) => toFillContext(tool, reading, atHand))
  const scores = scoreTools(contexts, shareOf)
  const scored = contexts.map((context, index) => ({
    context,
    tool: context.tool,
    rank: scores[index]?.rank ?? 0,
  }))
  const [best] = scored.sort((one, other) => other.rank - one.rank)
  if (!best) return []
  return [{ name: best.tool.name, arguments: completeArguments(best.tool.slots, best.context) }]
}

/**
 * Completes the arguments of a required call: missing values come from the text of the clause, or are the
 * minimum that the schema accepts. Addresses and ids stay out, because invented ones would do harm.
 */
function completeArguments(slots: readonly Slot[], context: FillContext): Record<string, unknown> {
  const { arguments: args } = fillArguments(slots, context)
  const entries = slots.flatMap((slot) => {
    if (Object.hasOwn(args, slot.name)) return [[slot.name, args[slot.name]] as const]
    const least = slot.required ? minimalValue(slot, context) : undefined
    return least === undefined ? [] : [[slot.name, least] as const]
  })
  return Object.fromEntries(entries)
}

function minimalValue({ kind, schema, choices, inner }: Slot, context: FillContext): unknown {
  if (kind === 'choice') return choices[0]?.value
  if (kind === 'flag') return false
  if (kind === 'number') return minimalNumber(schema)
  if (kind === 'date') return context.reading.today
  if (kind === 'object')
    return completeArguments(inner, { ...context, tool: { ...context.tool, slots: inner } })
  if (kind === 'list') return Number(schema.minItems) > 0 ? undefined : []
  return /^(?:text|place|person|path|symbol|language|expression)$/.test(kind)
    ? context.reading.text
    : undefined
}

function minimalNumber({ minimum, exclusiveMinimum, maximum }: Slot['schema']): number {
  if (typeof minimum === 'number') return minimum
  if (typeof exclusiveMinimum === 'number') return exclusiveMinimum + 1
  return typeof maximum === 'number' && maximum < 0 ? maximum : 0
}
