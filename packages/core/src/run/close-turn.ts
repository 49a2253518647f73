import { parseArguments } from '../answer/parse-arguments.js'
import type { Json } from '../words/json.js'
import type { ToolCall } from '../words/message.js'
import type { Answer, Flags, RunState } from '../words/state.js'
import { type Usage, withCalls } from '../words/usage.js'
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
  /** The untrusted tool whose words the model reads now, if it read none before. */
  readonly taintedBy: string | undefined
  /** The result that is the run's answer, as it stands. */
  readonly direct: string | undefined
}

/** Sums up the open turn: a pure function of its answers. */
export function closedTurn(state: RunState, plan: RunPlan): ClosedTurn {
  const step = currentStep(state)
  const plain = openCalls(state).map((call, index) => toRecord(call, state.answered[index] as Answer, step))
  const stuck = plan.stuck && detectRepeats(state.flags, plain, plan.stuck)
  const taintedBy = taintOf(plain, state.flags, plan)
  const { stage, note } = stuck ?? {}
  return {
    turn: plain.map((record) => withNote(record, note)),
    usage: withCallCosts(withCalls(state.usage, plain), plain, plan.prices),
    flags: {
      ...state.flags,
      ...stuck?.flags,
      ...toFlags(plain, state.flags),
      ...(taintedBy ? { taintedBy } : {}),
    },
    stuck: stage && { stage, names: [...new Set(plain.map(({ name }) => name))] },
    taintedBy,
    direct: directAnswer(plain, plan),
  }
}

function toRecord({ id, function: called }: ToolCall, outcome: Answer, step: number): CallRecord {
  const parsed = parseArguments(called.arguments)
  const said = (parsed.ok ? parsed.value : called.arguments) as Json
  return { ...outcome, callId: id, name: called.name, step, arguments: outcome.arguments ?? said }
}

function withNote(record: CallRecord, note: string | undefined): CallRecord {
  return note === undefined ? record : { ...record, content: `${record.content}\n\n${note}` }
}

function toFlags(turn: readonly CallRecord[], before: Flags): Partial<Flags> {
  const passed = turn.find(({ limit }) => limit)?.limit
  const approved = new Set([
    ...(before.approved ?? []),
    ...turn.filter((one) => one.approved).map(({ name }) => name),
  ])
  return {
    rejections: countRejections(before.rejections ?? {}, turn),
    ...(approved.size > 0 ? { approved: [...approved] } : {}),
    ...(passed ? { passed } : {}),
  }
}

/** The rejections in a row by tool; one call that was no rejection ends a row. */
export function countRejections(
  before: Readonly<Record<string, number>>,
  turn: readonly Pick<CallRecord, 'name' | 'status'>[],
): Record<string, number> {
  const counts = new Map(Object.entries(before))
  for (const { name, status } of turn)
    counts.set(name, status === 'rejected' ? (counts.get(name) ?? 0) + 1 : 0)
  return Object.fromEntries([...counts].filter(([, times]) => times > 0))
}

/** The first untrusted tool that has brought anything: an error's words may come from outside as well. */
function taintOf(turn: readonly CallRecord[], { taintedBy }: Flags, plan: RunPlan): string | undefined {
  if (!plan.guards.taint || taintedBy !== undefined) return undefined
  const brought = turn.filter(({ status }) => status === 'ok' || status === 'error')
  return brought.find(({ name }) => plan.toolset.get(name)?.settings.untrusted)?.name
}

function directAnswer(turn: readonly CallRecord[], { toolset }: RunPlan): string | undefined {
  const direct = turn.filter(
    ({ name, status }) => status === 'ok' && toolset.get(name)?.settings.returnDirect,
  )
  return direct.length > 0 ? direct.map(({ content }) => content).join('\n\n') : undefined
}
