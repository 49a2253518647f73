import { answerName } from '../plan/accounting.js'
import { readClause } from '../plan/clauses.js'
import { type ChatMessage, composeReply, type Turn } from '../plan/conversation.js'
import { toFillContext } from '../plan/fill-context.js'
import type { PlannerTool, ToolDefinition } from '../plan/planner-tool.js'
import { scoreTools, toRarity } from '../plan/score-tool.js'
import type { PlannedCall } from '../plan/task.js'
import { fillFormat } from './fill-schema.js'

export type Choice = 'auto' | 'none' | 'required' | { readonly name: string }

interface Asked {
  readonly messages: readonly ChatMessage[]
  readonly tools: readonly ToolDefinition[]
  readonly choice: Choice
  readonly now: Date
}

/** The planner's result for a request, before a required call is taken into account. */
interface Planned {
  readonly tools: readonly PlannerTool[]
  readonly turn: Turn
  readonly calls: readonly PlannedCall[]
  /** Reasons why parts of the request were not carried out. */
  readonly notes: readonly string[]
}

type RequiredReply =
  | { readonly calls: readonly PlannedCall[] }
  | { readonly text: string; readonly isRefusal: true }

/**
 * Returns the planned calls. If there are none, but `tool_choice` or a tool that takes the run's final answer requires
 * one, returns that call, or a refusal that names the missing values.
 */
export function toRequiredReply(asked: Asked, planned: Planned): RequiredReply {
  const { tools, turn, calls } = planned
  // Another sentence may contain what one sentence lacks.
  const notes = planned.notes.filter((note) => !answerName.test(note.split(' ')[0] ?? ''))
  const others = calls.filter(({ name }) => !answerName.test(name))
  if (others.length > 0) return { calls: others }
  const written = calls.filter(({ name }) => turn.request.includes(name))
  if (written.length > 0) return { calls: written }
  const options = toRequiredTools(asked.choice, tools, turn, asked.now)
  const tried = options.map((one) => fillRequired(one, asked, { ...planned, notes }))
  const names = tools.map((one) => one.name).join(', ')
  const none =
    asked.choice === 'required' ? refused(`none of the tools fits the request: ${names}`) : { calls: [] }
  return tried.find((one) => 'calls' in one) ?? tried[0] ?? none
}

function fillRequired({ name }: PlannerTool, asked: Asked, { turn, notes }: Planned): RequiredReply {
  const { description = '', parameters = {} } = asked.tools.find((one) => one.name === name) ?? {}
  const isAnswer = answerName.test(name)
  const done = turn.calls.length > 0 ? composeReply(turn.calls, notes).split('\n') : notes
  const said = isAnswer ? done : []
  // Some work for other tools was not done, which an answer would conceal.
  if (isAnswer && notes.length > 0) return refused(`${name} was not called`, said)
  const form = { name, description, schema: parameters }
  const filled = fillFormat(form, asked.messages, { now: asked.now, takesPrompt: !isAnswer })
  if ('flaw' in filled) return refused(filled.flaw.replace(/^the answer/, name), said)
  const call = { name, arguments: filled.value as PlannedCall['arguments'] }
  const isRejected = turn.calls.some(
    (made) => made.failed && made.name === name && sameJson(made.arguments, call.arguments),
  )
  return isAnswer && isRejected ? refused(`${name} does not accept these values`, said) : { calls: [call] }
}

function sameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function refused(why: string, said: readonly string[] = []): RequiredReply {
  const self = 'The planner fills in only what the conversation contains and invents nothing'
  return { text: [...said, `${self}: ${why}.`].join('\n'), isRefusal: true }
}

/**
 * Returns the tools of which one must be called: the named tool, else the tools that take the final answer, else the
 * best matches.
 */
function toRequiredTools(
  choice: Choice,
  tools: readonly PlannerTool[],
  turn: Turn,
  now: Date,
): readonly PlannerTool[] {
  if (choice === 'none') return []
  if (typeof choice === 'object') return tools.filter(({ name }) => name === choice.name)
  const answers = tools.filter(({ name }) => answerName.test(name))
  if (answers.length > 0 || choice !== 'required') return answers
  const reading = readClause(turn.request, now)
  const made = turn.calls.flatMap(({ artifacts }) => artifacts)
  const atHand = [...turn.earlier.artifacts, ...turn.attachments, ...made]
  const contexts = tools.map((tool) => toFillContext(tool, reading, atHand))
  const scores = scoreTools(contexts, toRarity(tools)).sort((one, other) => other.rank - one.rank)
  // A tool that has no words in common with the request is no better than any other.
  return scores.filter(({ rank }) => rank > 0 || tools.length === 1).map(({ tool }) => tool)
}
