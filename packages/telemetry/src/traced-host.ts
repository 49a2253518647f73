import type { ChildStep, HostStep, RunHost, StepContext } from '@capstan/core'
import { wrapHost } from '@capstan/core/internal'
import { errorCode } from './errors.js'
import { type CallOutcome, Invocation, type Invocations } from './spans.js'

/** The run that a step belongs to. */
export interface RunLocation {
  readonly invocations: Invocations
  readonly runId: string
}

/** Wraps a host so that the span of each step is active while the step runs. */
export function tracedHost(inner: RunHost, { invocations, runId }: RunLocation): RunHost {
  return wrapHost(inner, {
    run(step) {
      const invocation = invocations.ofRun(runId)
      return invocation ? tracedRun(step, invocation) : step
    },
    child(step) {
      const invocation = invocations.ofRun(runId)
      return invocation ? tracedChild(step, invocation, invocations) : step
    },
    ended(step) {
      if ('run' in step) return
      // If a child run did not settle, close the spans that it left open.
      const { state, callId } = step.child
      const child = invocations.ofRun(state.runId)
      if (child) invocations.close(child, 'error', {})
      invocations.ofRun(runId)?.failCall(callId, '_OTHER')
    },
  })
}

function tracedRun<T>(step: HostStep<T>, invocation: Invocation): HostStep<T> {
  const { kind, name, callId } = step.options ?? {}
  if (kind === 'tool' && callId !== undefined)
    return { ...step, run: (context) => runToolStep(step, { invocation, callId, name: name ?? '' }, context) }
  return { ...step, run: (context) => runOtherStep(step, invocation, context) }
}

interface CallSpan {
  readonly invocation: Invocation
  readonly callId: string
  readonly name: string
}

async function runToolStep<T>(
  step: HostStep<T>,
  { invocation, callId, name }: CallSpan,
  context: StepContext,
): Promise<T> {
  const span = invocation.startCall(callId, name)
  try {
    const outcome = await span.runWith(() => step.run(context))
    invocation.endCall(callId, outcome as CallOutcome)
    return outcome
  } catch (error) {
    invocation.failCall(callId, errorCode(error))
    throw error
  }
}

async function runOtherStep<T>(step: HostStep<T>, invocation: Invocation, context: StepContext): Promise<T> {
  try {
    return await invocation.span.runWith(() => step.run(context))
  } catch (error) {
    invocation.setFailure(errorCode(error))
    throw error
  }
}

/** Traces a child run until its state is settled. */
function tracedChild<T>(step: ChildStep<T>, within: Invocation, invocations: Invocations): ChildStep<T> {
  const { agent, callId, state } = step.child
  const path = within.path === '' ? callId : `${within.path}/${callId}`
  const span = within.spanOf(callId)
  // If the child run has the same agent, it is a program. An agent that is called as a tool is a different agent.
  const call = agent === within.agent ? span : undefined
  const start = { agent, runId: state.runId, path, parent: within, call }
  const child = new Invocation(start, span.context, within.telemetry)
  invocations.add(child)
  return {
    ...step,
    async settle(state) {
      invocations.close(child, state.stopReason ?? 'error', state.usage)
      const outcome = await step.settle(state)
      within.endCall(callId, outcome as CallOutcome)
      return outcome
    },
  }
}
