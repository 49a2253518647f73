import { CallOrder } from '../answer/call-order.js'
import type { Desk } from '../answer/desk.js'
import { type Approval, dispatch } from '../answer/dispatch.js'
import { Purse } from '../answer/purse.js'
import type { RunStep } from '../words/host.js'
import type { ToolCall } from '../words/message.js'
import type { Answer, Outcome, PendingCall, RunState } from '../words/state.js'
import { type Usage, withSpending } from '../words/usage.js'
import { withCallCosts } from './costs.js'
import { overLimit } from './over-limit.js'
import { endOfTime, withinTime } from './time.js'
import { currentStep, openCalls, type RunPlan, type Walk } from './walk.js'

/** What became of a turn's calls so far. */
export interface Answers {
  readonly answered: Record<number, Answer>
  readonly pending: PendingCall[]
  /** What the host failed with; the rest is what was done all the same. */
  readonly failure?: { readonly error: unknown }
}

/** Answers the open calls that nothing is known of yet, each as one step of the host, side by side. */
export async function answer(walk: Walk, plan: RunPlan): Promise<Answers> {
  const { state, firstTurn } = walk
  const refused = overLimit(state)
  const told = state.turn > firstTurn ? Object.entries(state.answered) : []
  for (const [index, outcome] of [...told, ...refused])
    ended(openCalls(state)[Number(index)], outcome, plan, state)
  const answered: Record<number, Answer> = { ...state.answered, ...Object.fromEntries(refused) }
  const isOpen = ({ id }: ToolCall, index: number) =>
    !answered[index] && !state.pending.some(({ callId }) => callId === id)
  const open = openCalls(state).flatMap((call, index) => (isOpen(call, index) ? [{ call, index }] : []))
  return perform(open, { answered, pending: state.pending }, { walk, plan, phase: 'tool' })
}

/** A call to run, by its place in the turn. */
export interface Todo {
  readonly call: ToolCall
  readonly index: number
  /** The yes it waited for. */
  readonly approval?: Approval
}

interface Site {
  readonly walk: Walk
  readonly plan: RunPlan
  /** Names the steps. */
  readonly phase: 'tool' | 'decided'
}

/** Runs calls side by side, and adds what became of them to what is known. */
export async function perform(todos: readonly Todo[], before: Answers, site: Site): Promise<Answers> {
  const { walk, plan, phase } = site
  if (todos.length === 0) return before
  const desk = toDesk(walk, plan)
  const prefix = `t${desk.step}/${phase}`
  const settled = await plan.host.all(todos.map((todo) => toStep(todo, prefix + todo.index, { site, desk })))
  const after = { answered: { ...before.answered }, pending: [...before.pending] }
  let failure: Answers['failure']
  for (const [position, { call, index }] of todos.entries()) {
    const outcome = settled[position]
    if (!outcome?.ok) failure ??= { error: outcome?.error }
    else if (outcome.value.status !== 'pending') after.answered[index] = outcome.value
    else {
      const { status: _, ...waiting } = outcome.value
      after.pending.push({ callId: call.id, name: call.function.name, ...waiting })
    }
  }
  return { ...after, ...(failure ? { failure } : {}) }
}

function toStep(
  { call, approval }: Todo,
  key: string,
  { site: { walk, plan }, desk }: { readonly site: Site; readonly desk: Desk },
): RunStep<Outcome> {
  return {
    key,
    options: { kind: 'tool', name: call.function.name },
    run: (step) =>
      withinTime({ endsAt: endOfTime(walk) }, step, async (timed) => {
        const outcome = await dispatch({ call, approval }, desk, timed)
        if (outcome.status !== 'pending') ended(call, outcome, plan, walk.state)
        return outcome
      }),
  }
}

function toDesk({ state }: Walk, plan: RunPlan): Desk {
  const { runId, usage, limits, flags } = state
  const step = currentStep(state)
  const view = {
    context: plan.context,
    runId,
    step,
    usage,
    approved: flags.approved ?? [],
    ...(flags.taintedBy === undefined ? {} : { taintedBy: flags.taintedBy }),
  }
  const purse = new Purse(withOpenTurn(state, plan), limits, plan.prices)
  const { toolset, context, artifacts, slots, guards, repair, stepTimeoutMs: timeoutMs, emit } = plan
  const order = new CallOrder()
  return {
    toolset,
    context,
    artifacts,
    slots,
    guards,
    repair,
    timeoutMs,
    emit,
    order,
    purse,
    view,
    runId,
    step,
  }
}

/** The usage with what calls of the open turn have spent already: a limit holds for those that come after. */
function withOpenTurn({ usage, answered }: RunState, { prices }: RunPlan): Usage {
  const before = Object.values(answered)
  const spent = before.flatMap((one) => one.spent ?? []).reduce(withSpending, usage)
  return withCallCosts(spent, before, prices)
}

/** Tells the end of a call. */
export function ended(
  call: ToolCall | undefined,
  { status, ms, content, artifacts = [] }: Answer,
  { emit }: RunPlan,
  state: RunState,
): void {
  if (!call) return
  const ref = { step: currentStep(state), callId: call.id, name: call.function.name }
  emit?.({ type: 'tool-end', ...ref, status, ms, content, artifacts })
}
