import { type Desk, dispatch } from '../answer/dispatch.js'
import type { RunStep } from '../words/host.js'
import type { ToolCall } from '../words/message.js'
import type { Answer } from '../words/state.js'
import { currentStep, openCalls, type RunPlan, type Walk } from './walk.js'

/** Answers the open calls that have no answer yet, each as one step of the host, side by side. */
export async function answer({ state }: Walk, plan: RunPlan): Promise<Record<number, Answer>> {
  const step = currentStep(state)
  const desk: Desk = { ...plan, runId: state.runId, step }
  const calls = openCalls(state).map((call, index) => ({ call, index }))
  for (const { call, index } of calls) if (state.answered[index]) ended(call, state.answered[index], desk)
  const open = calls.filter(({ index }) => !state.answered[index])
  const settled = await plan.host.all(
    open.map(({ call, index }) => toStep(call, `t${step}/tool${index}`, desk)),
  )
  const answered = { ...state.answered }
  for (const [position, { index }] of open.entries()) {
    const outcome = settled[position]
    if (!outcome?.ok) throw outcome?.error
    answered[index] = outcome.value
  }
  return answered
}

function toStep(call: ToolCall, key: string, desk: Desk): RunStep<Answer> {
  return {
    key,
    options: { kind: 'tool', name: call.function.name },
    async run(context) {
      const outcome = await dispatch(call, desk, context)
      ended(call, outcome, desk)
      return outcome
    },
  }
}

function ended(call: ToolCall, { status, ms, content, artifacts = [] }: Answer, { emit, step }: Desk): void {
  emit?.({
    type: 'tool-end',
    step,
    callId: call.id,
    name: call.function.name,
    status,
    ms,
    content,
    artifacts,
  })
}
