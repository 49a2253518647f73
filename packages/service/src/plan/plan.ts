import { type Choice, toRequiredReply } from '../typed/required-reply.js'
import { type Assignment, toTasks } from './assign-tools.js'
import { isRefusal } from './clauses.js'
import {
  type AnsweredCall,
  type ChatMessage,
  composeRefusal,
  composeReply,
  describeResult,
  type Turn,
  toTurn,
} from './conversation.js'
import { renderDate } from './dates.js'
import { type Filled, fillArguments } from './fill-arguments.js'
import { type FillContext, type Topic, toChangedSlots, toFillContext } from './fill-context.js'
import { keepValues } from './keep-values.js'
import { type PlannerTool, type ToolDefinition, toPlannerTools } from './planner-tool.js'
import {
  artifactPrefixes,
  type Bound,
  bindResults,
  isAboutAttachment,
  isPronominal,
  ordinalOf,
  refersToResult,
  toSubject,
} from './references.js'
import {
  artifactsOf,
  isChange,
  type PlannedCall,
  passes,
  type Replay,
  type Task,
  type TaskState,
} from './task.js'
import { toConcepts } from './words.js'

export interface PlanRequest {
  readonly messages: readonly ChatMessage[]
  readonly tools: readonly ToolDefinition[]
  /** Default: `auto`. A name requires a call of that tool. */
  readonly choice?: Choice
  /** Whether several calls may be made at the same time. Default: true. */
  readonly parallel?: boolean
  /** The current time, for "tomorrow". Default: now. */
  readonly now?: Date
}

export type Plan =
  | { readonly calls: readonly PlannedCall[] }
  | { readonly text: string; readonly isRefusal?: true }

/** Plans the next reply: the calls that are possible now, or a summary of the results. */
export function plan(request: PlanRequest): Plan {
  const { choice = 'auto', parallel = true, now = new Date() } = request
  const turn = toTurn(request.messages)
  const { tools, tasks, unmatched } = assignmentOf(turn, choice === 'none' ? [] : request.tools, now)
  // Matches the calls made so far with the tasks. Keeps no state between requests.
  const states: TaskState[] = []
  const unclaimed = [...turn.calls]
  for (const task of tasks) states.push(advance(task, { tasks, states, turn }, unclaimed))
  const [next, notes] = [states.flatMap((one) => one.next ?? []), states.flatMap(({ note }) => note ?? [])]
  const chosen = typeof choice === 'object' ? next.filter(({ name }) => name === choice.name) : next
  const open = tools.length > 0 ? unmatched.filter(isRequest) : []
  const noted = open.map((text) =>
    isRefusal(text)
      ? `Not taken into account: "${text}".`
      : `Not done: "${text}". None of the tools fits it.`,
  )
  const rests = [...notes, ...noted]
  // Most of the request is unclear, so what seems clear is not reliable either.
  const isUnclear =
    turn.calls.length === 0 && rests.length > 1 && rests.length >= chosen.length && notes.length > 0
  const clear = isUnclear ? [] : chosen
  const reply = toRequiredReply({ ...request, choice, now }, { tools, turn, calls: clear, notes })
  if ('text' in reply) return reply
  if (reply.calls.length > 0) return { calls: parallel ? reply.calls : reply.calls.slice(0, 1) }
  const unseen = [...new Set(turn.unseen)].map((kind) => `the ${kind}`).join(' and ')
  const blind = [
    ...(unseen === '' ? [] : [`I can neither see nor hear: ${unseen} in the message was ignored.`]),
    ...(turn.isCut ? ['The request is too long: only its first 20,000 characters were read.'] : []),
  ]
  if (turn.calls.length > 0) return { text: composeReply(turn.calls, [...rests, ...blind]) }
  const reasons = notes.length > 0 || isUnclear ? rests : []
  const names = tools.map(({ name }) => name)
  return { text: composeRefusal(names, [...reasons, ...blind]) }
}

/**
 * Caches the latest tasks, because agents send the request again after each result. Tasks depend on the day, not on the
 * time.
 */
function assignmentOf(turn: Turn, definitions: readonly ToolDefinition[], now: Date) {
  const { request, attachments, earlier } = turn
  const key = JSON.stringify([renderDate(now), request, attachments, earlier, definitions])
  return assigned(key, () => {
    const tools = toPlannerTools(definitions)
    return { tools, ...toTasks(turn, tools, now) }
  })
}

const assigned = keepValues<Assignment & { readonly tools: readonly PlannerTool[] }>(64, 20_000)

// Remarks such as "Thank you", "I like it" or "The cat is old" are not requests. A wish is one.
const wish = /^(?:i|we)\b.{0,20}\b(?:need|want|like to|d like|have to)\b/i
const remark = new RegExp(
  [
    "^(?:(?:very|really|so|all|that[’']?s|looks|sounds|well) )?(?:good|great|nice|perfect|fine|ok|okay|k|wow|thx|ty|right|alright|cool|super|excellent|awesome|amazing|wonderful|brilliant|fantastic|lovely|beautiful|all|done|understood|correct|exactly|got it|works|cheers|ta)(?: (?:job|work|stuff|one|to know|enough|then|thanks|thank you|so far|now))*$",
    '^(?:i|we|you|he|she|it|they|there|because|since|as|thanks?|thank you|hello|hi|hey|dear|good (?:morning|day|evening|night)|bye|goodbye|great|nice|perfect|sorry|yes|no|sure|well)\\b',
    '^(?:the|an?|my|our|your|his|her|its|their|this|that|these|those)\\b.*\\b(?:is|are|was|were|has|have|had|will|can|likes?|loves?)\\b',
  ].join('|'),
  'i',
)

function isRequest(clause: string): boolean {
  return (
    /\p{L}|\d/u.test(clause) &&
    (wish.test(clause) || !remark.test(clause) || /\b(?:if|unless)\b/i.test(clause))
  )
}

function advance(task: Task, course: Replay, unclaimed: AnsweredCall[]): TaskState {
  const source = task.source === undefined ? undefined : course.states[task.source]
  const after = task.after === undefined ? undefined : course.states[task.after]
  const before = [source, after].flatMap((state) => state ?? [])
  if (before.some(({ status }) => status === 'open' || status === 'waiting')) {
    return { status: 'waiting', calls: [] }
  }
  if (source?.status === 'stuck' || (after?.note !== undefined && !task.condition)) {
    const note = `"${task.clause.text}" was not done because an earlier step failed.`
    return { status: 'stuck', calls: [], note }
  }
  if (task.condition) {
    const [call] = after?.calls ?? []
    const isMet = call && passes(call.result, task.condition)
    const unmet = 'was not done: its condition is not met'
    const undecided = 'depends on a comparison that the result does not decide'
    const note = `"${task.clause.text}" ${isMet === false ? unmet : undecided}.`
    if (!isMet) return { status: isMet === false ? 'done' : 'stuck', calls: [], note }
  }
  const { calls: planned, flaw } = toCalls(task, course)
  const earliest = Math.max(-1, ...before.flatMap(({ calls }) => calls.map(({ round }) => round))) + 1
  // The calls of a task that cannot be done belong to a different task.
  const isFree = flaw === undefined || source !== undefined
  const calls = isFree ? claim(unclaimed, task.tool.name, Math.max(planned.length, 1), earliest) : []
  if (calls.length > 0 && calls.length >= planned.length) {
    return { status: calls.every(({ failed }) => failed) ? 'stuck' : 'done', calls }
  }
  if (flaw === undefined) return { status: 'open', calls, next: planned.slice(calls.length) }
  return { status: 'stuck', calls, note: flaw }
}

// Assigns earlier calls to a task, whatever their result, so that none is repeated. Before the earliest round,
// its dependencies were missing.
function claim(unclaimed: AnsweredCall[], name: string, count: number, earliest: number): AnsweredCall[] {
  const claimed: AnsweredCall[] = []
  while (claimed.length < count) {
    const index = unclaimed.findIndex((call) => call.name === name && call.round >= earliest)
    if (index < 0) break
    claimed.push(...unclaimed.splice(index, 1))
  }
  return claimed
}

/** Plans a task's calls: one, or one for each of "Paris, Rome and New York". */
function toCalls(task: Task, course: Replay): { calls: readonly PlannedCall[]; flaw?: string } {
  const { tool, reading, exact } = task
  if (exact) return { calls: [{ name: tool.name, arguments: exact }] }
  const { values, selects } = boundTo(task, course)
  const context = {
    ...toFillContext(tool, reading, artifactsAtHand(task, course)),
    topic: toTopic(task, course),
    selects: selects || task.elsewhere !== undefined,
    follows: task.base !== undefined,
    ...(task.elsewhere && { elsewhere: task.elsewhere }),
  }
  const slots = task.base ? toChangedSlots(tool, task.base) : tool.slots
  const rows = values.length > 0 ? values : [new Map<string, unknown>()]
  const filled = rows.map((bound) => withEarlier(task, fillArguments(slots, { ...context, bound })))
  const [first] = filled
  const flaw = first && flawOf(task, first)
  if (!first || flaw !== undefined) return { calls: [], flaw: flaw ?? '' }
  const fan = toArtifactFan(context, artifactsOf(task.source, course))
  const lists = fan
    ? fan.values.map((value) => ({ ...first.arguments, [fan.name]: value }))
    : filled.length > 1
      ? filled.filter(({ missing }) => missing.length === 0).map((one) => one.arguments)
      : (first.fan ?? [first.arguments])
  return { calls: lists.map((args) => ({ name: tool.name, arguments: args })) }
}

function flawOf({ tool, reading, unclear = [] }: Task, filled: Filled): string | undefined {
  const doubts = [...new Set([...filled.doubts, ...filled.unaccounted, ...unclear])]
  const missing = [...filled.missing, ...filled.references].map(({ name }) => name)
  if (missing.length + doubts.length === 0) return undefined
  const quoted = (texts: readonly string[]) => texts.map((text) => `"${text}"`).join(' and ')
  const reason =
    missing.length > 0
      ? `needs ${quoted(missing)}, and neither the request nor the results so far give it.`
      : `was not called: its parameters leave ${quoted(doubts.slice(0, 5))} unclear. Name the parameters.`
  return `${tool.name} ${reason} Not done: "${reading.text}".`
}

// The values from results that the task uses, or from earlier requests that it refers to.
function boundTo({ tool, reading, source, base, shares }: Task, course: Replay): Bound {
  const { states, turn } = course
  const none = { values: [], selects: false }
  if (tool.worksOn || tool.makes || base) return none
  const other = shares === undefined ? undefined : course.tasks[shares]
  if (other) {
    const [call] = toCalls(other, course).calls
    return { values: [new Map(Object.entries(call?.arguments ?? {}))], selects: false }
  }
  if (source !== undefined) return bindResults(tool, reading, states[source]?.calls ?? [])
  return refersToResult(reading.masked) ? bindResults(tool, reading, turn.earlier.calls.slice(-6)) : none
}

// A follow-up changes the arguments that it mentions and keeps the rest: "and in Rome?"
function withEarlier({ base, tool }: Task, filled: Filled): Filled {
  if (!base) return filled
  const changed = (from: Readonly<Record<string, unknown>>) => {
    const changes = Object.entries(from).filter(([name]) => isChange(name, tool, filled))
    const args = { ...base, ...Object.fromEntries(changes) }
    return Object.fromEntries(
      tool.slots.flatMap(({ name }) => (Object.hasOwn(args, name) ? [[name, args[name]] as const] : [])),
    )
  }
  return { ...filled, arguments: changed(filled.arguments), missing: [], fan: filled.fan?.map(changed) }
}

// Oldest first. The artifacts of the source task are the newest.
function artifactsAtHand({ source, reading }: Task, course: Replay): string[] {
  const { states, turn } = course
  const made = states.flatMap((_, index) => artifactsOf(index, course))
  const here = isAboutAttachment(reading) ? [...made, ...turn.attachments] : [...turn.attachments, ...made]
  const produced = artifactsOf(source, course)
  const all = [...turn.earlier.artifacts, ...here, ...produced]
  const ordinal = ordinalOf(reading.masked)
  if (ordinal === undefined) return all
  const lots = [produced, made, turn.attachments, turn.earlier.lot]
  const meant = lots.find(({ length }) => length > 1)?.at(ordinal)
  return meant === undefined ? all : [...all, meant]
}

// "Vary them": one call for each of several images.
function toArtifactFan({ tool, reading }: FillContext, produced: readonly string[]) {
  const slot = tool.worksOn
  if (!slot || !/\b(?:them|each|both|all|these|those)\b/i.test(reading.masked)) return undefined
  const prefixes = artifactPrefixes(slot, tool)
  const values = produced.filter((id) => prefixes.some((prefix) => id.startsWith(prefix)))
  return values.length > 1 ? { name: slot.name, values } : undefined
}

/** Resolves an "it" that refers to text: the result of an earlier task, or of the last request. */
function toTopic(task: Task, course: Replay): Topic | undefined {
  if (task.tool.worksOn) return undefined
  if (task.source !== undefined) return topicOf(task.source, course)
  const past = course.turn.earlier.calls.findLast(
    ({ failed, artifacts }) => !failed && artifacts.length === 0,
  )
  if (!past || !isPronominal(task.reading.masked)) return undefined
  const subject = describeArguments(past)
  return { subject, known: toConcepts(`${subject} ${past.name}`), result: describeResult(past) }
}

// An image's subject is that of its prompt: "draw it, and read a sentence about it aloud".
function topicOf(index: number, course: Replay): Topic | undefined {
  const task = course.tasks[index]
  if (!task) return undefined
  const calls = course.states[index]?.calls.filter(({ failed }) => !failed) ?? []
  // Labels each of several results: "Oslo temperature -3; Rome temperature 15".
  const labelled = calls.map(
    (call) => (calls.length > 1 ? `${describeArguments(call)} ` : '') + describeResult(call),
  )
  const result = task.tool.makes ? '' : labelled.join('; ')
  // The text of a recording or the content of an image needs no subject.
  const subject =
    task.tool.actions.has('interpret') && result !== '' ? '' : toSubject(task.clause.text, task.tool)
  const known = toConcepts(`${subject} ${task.tool.name}`)
  return { subject: isPronominal(subject) ? '' : subject, known, result }
}

function describeArguments({ arguments: args }: AnsweredCall): string {
  const scalars = Object.values(args).filter((value) => typeof value !== 'object')
  return scalars.join(' ')
}
