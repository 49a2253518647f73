import type { Turn } from './conversation.js'
import { fillArguments } from './fill-arguments.js'
import { type FillContext, toFillContext } from './fill-context.js'
import type { PlannerTool } from './planner-tool.js'
import { readClause } from './read-clause.js'
import { scoreTools, toRarity } from './score-tool.js'
import type { Slot } from './slots.js'
import type { PlannedCall } from './task.js'

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
export function toRequiredCalls(choice: Choice, { tools, turn, now }: ToolChoiceContext): PlannedCall[] {
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
