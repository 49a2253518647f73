import { type ArgumentsValue, takeArguments } from '../answer/known-arguments.js'
import { parseArguments } from '../answer/parse-arguments.js'
import type { Artifact } from '../words/artifact.js'
import type { Json } from '../words/json.js'
import type { ToolCall } from '../words/message.js'
import type { Answer, Flags, RunState } from '../words/state.js'
import { type Usage, withCalls, withUsage } from '../words/usage.js'
import { withCallCosts } from './costs.js'
import { detectRepeats, type Stage } from './stuck.js'
import { type CallRecord, currentStep, openCalls, type RunPlan } from './walk.js'

/** What a turn whose calls are all answered comes to. */
export interface ClosedTurn {
  readonly turn: readonly CallRecord[]
  readonly usage: Usage
  readonly flags: Flags
  /** What is done about a turn that repeats earlier ones. */
  readonly stuck: { readonly stage: Stage; readonly names: readonly string[] } | undefined
  /** The untrusted source whose text the model reads now, if it read none before and its agent asks because of it. */
  readonly taintedBy: string | undefined
  /** The result that is the run's answer, as it stands; where a form is asked for, the first that has it. */
  readonly direct: string | undefined
  /** That one as a value. */
  readonly output: Json | undefined
  /** What the run has made so far. */
  readonly artifacts: readonly Artifact[]
  /** The agent that goes on, where the model handed over to one. */
  readonly handedTo: string | undefined
}

/** Sums up the open turn: a pure function of its answers. */
export function closedTurn(state: RunState, plan: RunPlan): ClosedTurn {
  const step = currentStep(state)
  const calls = openCalls(state)
  const args = takeArguments(calls) ?? calls.map(argumentsOf)
  const plain = calls.map((call, index) => {
    const outcome = state.answered[index] as Answer
    const said = outcome.arguments ?? (args[index] as Json)
    return { ...outcome, callId: call.id, name: call.function.name, step, arguments: said }
  })
  const stuck = plan.stuck && detectRepeats(state.flags, plain, plan.stuck)
  const taintedBy = taintOf(plain, state.flags, plan)
  const { output } = plan
  const shaped = output && plain.find(({ name, status }) => status === 'ok' && name === output.tool.name)
  const { stage, note } = stuck ?? {}
  return {
    turn: note === undefined ? plain : plain.map((record) => withNote(record, note)),
    usage: usageAfter(state.usage, plain, plan),
    flags: {
      ...state.flags,
      ...stuck?.flags,
      ...toFlags(plain, state.flags, plan),
      ...(taintedBy ? { taintedBy } : {}),
    },
    stuck: stage && { stage, names: [...new Set(plain.map(({ name }) => name))] },
    taintedBy: plan.guards.taint ? taintedBy : undefined,
    direct: shaped ? shaped.content : output ? undefined : directAnswer(plain, plan),
    output: shaped?.result,
    artifacts: artifactsAfter(state.artifacts, plain),
    handedTo: handedTo(plain, plan),
  }
}

function usageAfter(before: Usage, turn: readonly CallRecord[], { prices }: RunPlan): Usage {
  let after = withCallCosts(withCalls(before, turn), turn, prices)
  for (const { usage } of turn) if (usage) after = withUsage(after, usage)
  return after
}

function artifactsAfter(before: readonly Artifact[] = [], turn: readonly CallRecord[]): readonly Artifact[] {
  if (!turn.some(({ artifacts = [] }) => artifacts.length > 0)) return before
  const made = turn.flatMap(({ artifacts = [] }) => artifacts)
  return [...new Map([...before, ...made].map((artifact) => [artifact.id, artifact])).values()]
}

/** The first that it handed over to: only one can go on. */
function handedTo(turn: readonly CallRecord[], { toolset }: RunPlan): string | undefined {
  for (const { name, status } of turn) {
    const to = status === 'ok' ? toolset.get(name)?.handoff : undefined
    if (to !== undefined) return to
  }
  return undefined
}

/** As the model said them, where they are no arguments. */
function argumentsOf({ function: { arguments: text } }: ToolCall): ArgumentsValue | string {
  const parsed = parseArguments(text)
  return parsed.ok ? parsed.value : text
}

function withNote(record: CallRecord, note: string): CallRecord {
  return { ...record, content: `${record.content}\n\n${note}` }
}

function toFlags(turn: readonly CallRecord[], before: Flags, { toolset }: RunPlan): Partial<Flags> {
  const isTool = (name: string) => toolset.get(name) !== undefined
  const passed = turn.find(({ limit }) => limit)?.limit
  const approved = turn.filter((one) => one.approved).map(({ name }) => name)
  return {
    rejections: countRejections(before.rejections ?? {}, turn, isTool),
    ...(approved.length > 0 ? { approved: [...new Set([...(before.approved ?? []), ...approved])] } : {}),
    ...(passed ? { passed } : {}),
    ...(turn.some(({ whole }) => whole) ? { shortened: true } : {}),
  }
}

/**
 * The answers in a row that made nothing but rejected calls of a tool: one answer counts once, since the model has
 * not read what was wrong before it. Names that no tool has count together.
 */
export function countRejections(
  before: Readonly<Record<string, number>>,
  turn: readonly Pick<CallRecord, 'name' | 'status'>[],
  isTool: (name: string) => boolean,
): Record<string, number> {
  if (Object.keys(before).length === 0 && turn.every(({ status }) => status !== 'rejected')) return {}
  const counts = new Map(Object.entries(before))
  const named = turn.map(({ name, status }) => ({ name: isTool(name) ? name : unknown, status }))
  for (const name of new Set(named.map((call) => call.name))) {
    const isRow = named.every((call) => call.name !== name || call.status === 'rejected')
    counts.set(name, isRow ? (counts.get(name) ?? 0) + 1 : 0)
  }
  return Object.fromEntries([...counts].filter(([, times]) => times > 0))
}

/** No tool's name. */
const unknown = ''

/**
 * The first untrusted source of the turn's results, an error's text included. It is noted even where the agent does
 * not ask because of it: a caller of this agent may.
 */
function taintOf(
  turn: readonly CallRecord[],
  { taintedBy }: Flags,
  { toolset }: RunPlan,
): string | undefined {
  if (taintedBy !== undefined) return undefined
  for (const { name, status, taintedBy: by } of turn) {
    const hasText = status === 'ok' || status === 'error'
    if (by !== undefined || (hasText && toolset.get(name)?.settings.untrusted)) return by ?? name
  }
  return undefined
}

function directAnswer(turn: readonly CallRecord[], { toolset }: RunPlan): string | undefined {
  const direct = turn.filter(
    ({ name, status }) => status === 'ok' && toolset.get(name)?.settings.returnDirect,
  )
  return direct.length > 0 ? direct.map(({ content }) => content).join('\n\n') : undefined
}
