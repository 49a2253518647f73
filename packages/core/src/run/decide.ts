import { notRun } from '../answer/refusals.js'
import type { Decision, PendingCall } from '../words/state.js'
import { type Answers, ended, perform, type Todo } from './answer.js'
import { checkDecision, toAnswer } from './decisions.js'
import { currentStep, openCalls, type RunPlan, type Walk } from './walk.js'

/** Carries out what is decided of the calls that wait; those that nobody decides go on waiting. */
export async function decide(walk: Walk, plan: RunPlan): Promise<Answers> {
  const { state } = walk
  const step = currentStep(state)
  const answered = { ...state.answered }
  const left: PendingCall[] = []
  const approved: Todo[] = []
  for (const call of state.pending)
    if (!Object.hasOwn(plan.decisions, call.callId)) plan.emit?.({ type: 'call-pending', step, ...call })
  for (const waiting of state.pending) {
    const index = openCalls(state).findIndex(({ id }) => id === waiting.callId)
    const call = openCalls(state)[index]
    if (!call) continue
    const decision = await decisionOn(waiting, `t${step}/pending${index}`, plan)
    const outcome = plan.signal.aborted ? notRun : decision && toAnswer(decision)
    if (outcome) {
      answered[index] = outcome
      ended(call, outcome, plan, state)
    } else if (decision?.type === 'approve') {
      approved.push({ call, index, approval: { arguments: decision.arguments } })
    } else left.push(waiting)
  }
  return perform(approved, { answered, pending: left }, { walk, plan, phase: 'decided' })
}

async function decisionOn(call: PendingCall, key: string, plan: RunPlan): Promise<Decision | undefined> {
  if (Object.hasOwn(plan.decisions, call.callId)) return plan.decisions[call.callId]
  const decision = await plan.host.waitFor<Decision>(key, { call })
  if (decision) await checkDecision(call, decision, plan.toolset)
  return decision
}
