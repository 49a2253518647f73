import { notRun } from '../answer/refusals.js'
import type { ToolCall } from '../words/message.js'
import type { ChildRun, Decision, Decisions, PendingCall, RunState } from '../words/state.js'
import { checkShown } from './check-pending.js'
import { cutChild } from './child-steps.js'
import { checkDecision, toAnswer } from './decisions.js'
import { type Answers, ended, perform, type Todo } from './perform.js'
import { currentStep, openCalls, type RunPlan, type Walk } from './walk.js'

/** Carries out what is decided of the calls that wait; those that nobody decides go on waiting. */
export async function decide(walk: Walk, plan: RunPlan): Promise<Answers> {
  const { state } = walk
  const step = currentStep(state)
  const answered = { ...state.answered }
  const left: PendingCall[] = []
  const todos: Todo[] = []
  const own = state.pending.filter(({ callId }) => openCalls(state).some(({ id }) => id === callId))
  for (const call of own)
    if (!isDecided(call, state.decisions)) plan.emit?.({ type: 'call-pending', step, ...call })
  for (const waiting of own) {
    const index = openCalls(state).findIndex(({ id }) => id === waiting.callId)
    const call = openCalls(state)[index] as ToolCall
    const decision = await decisionOn(waiting, `t${step}/pending${index}`, walk, plan)
    const outcome = plan.signal.aborted ? notRun : decision && (await toAnswer(decision, plan))
    if (outcome) {
      answered[index] = outcome
      ended(call, outcome, plan, state)
    } else if (decision?.type === 'approve') {
      checkShown(waiting, call, plan.agent)
      todos.push({ call, index, approval: { arguments: decision.arguments } })
    } else left.push(waiting)
  }
  const children: Record<number, ChildRun> = {}
  for (const { call, index, child } of childrenOf(state)) {
    const waiting = state.pending.filter(({ callId }) => callId.startsWith(`${call.id}/`))
    const decisions = decisionsWithin(call, waiting, state.decisions)
    if (plan.signal.aborted) {
      const outcome = cutChild(child)
      answered[index] = outcome
      ended(call, outcome, plan, state)
    } else if (plan.waits || waiting.length === 0 || Object.keys(decisions).length > 0) {
      todos.push({ call, index, child: { ...child, state: { ...child.state, decisions } } })
    } else {
      children[index] = child
      for (const one of waiting) left.push(one)
    }
  }
  return perform(todos, { answered, pending: left, children }, { walk, plan, phase: 'decided' })
}

function isDecided({ callId }: PendingCall, decisions: Decisions = {}): boolean {
  return Object.hasOwn(decisions, callId)
}

async function decisionOn(
  call: PendingCall,
  key: string,
  { state }: Walk,
  plan: RunPlan,
): Promise<Decision | undefined> {
  if (isDecided(call, state.decisions)) return state.decisions?.[call.callId]
  const decision = await plan.host.waitFor<Decision>(key, { call })
  if (decision) await checkDecision(call, decision, plan.toolset)
  return decision
}

/** The agents that answer open calls and wait. */
function childrenOf(state: RunState) {
  return openCalls(state).flatMap((call, index) => {
    const child = state.children?.[index]
    return child ? [{ call, index, child }] : []
  })
}

/** What is decided of calls within a call, by the ids that they have there. */
function decisionsWithin(
  { id }: ToolCall,
  waiting: readonly PendingCall[],
  decisions: Decisions = {},
): Decisions {
  const decided = waiting.filter((one) => isDecided(one, decisions))
  return Object.fromEntries(
    decided.map(({ callId }) => [callId.slice(id.length + 1), decisions[callId] as Decision]),
  )
}
