import type { ChildStep, RunHost, RunStep, Step, StepContext } from '@capstan/core'
import { errorCode } from './errors.js'
import { type CallOutcome, Invocation, type Invocations } from './spans.js'

/** The run that a step belongs to. */
export interface RunLocation {
  readonly invocations: Invocations
  readonly runId: string
}

/** Wraps a host so that each step runs with its span active. */
export function tracedHost(inner: RunHost, site: RunLocation): RunHost {
  const { invocations, runId } = site
  const traced = <T>(step: Step<T>): Traced<T> => {
    const invocation = invocations.ofRun(runId)
    if (!invocation) return { step }
    return 'run' in step ? { step: tracedRun(step, invocation) } : tracedChild(step, invocation, site)
  }
  return {
    async step(step) {
      const one = traced(step)
      try {
        return await inner.step(one.step)
      } finally {
        one.close?.()
      }
    },
    async all(steps) {
      const all = steps.map(traced)
      try {
        return await inner.all(all.map(({ step }) => step))
      } finally {
        for (const { close } of all) close?.()
      }
    },
    waitFor: (key, options) => inner.waitFor(key, options),
    now: () => inner.now(),
    id: (key) => inner.id(key),
    sleep: (key, ms) => inner.sleep(key, ms),
    retries: inner.retries,
  }
}

interface Traced<T> {
  readonly step: Step<T>
  /** Ends spans that the step left open. */
  readonly close?: () => void
}

function tracedRun<T>(step: RunStep<T>, invocation: Invocation): RunStep<T> {
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
  step: RunStep<T>,
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

async function runOtherStep<T>(step: RunStep<T>, invocation: Invocation, context: StepContext): Promise<T> {
  try {
    return await invocation.span.runWith(() => step.run(context))
  } catch (error) {
    invocation.setFailure(errorCode(error))
    throw error
  }
}

/** Traces a child run until its state is settled. */
function tracedChild<T>(step: ChildStep<T>, within: Invocation, { invocations }: RunLocation): Traced<T> {
  const { agent, callId, state } = step.child
  const path = within.path === '' ? callId : `${within.path}/${callId}`
  const parent = within.spanOf(callId).context
  const child = new Invocation({ agent, runId: state.runId, path, parent: within }, parent, within.telemetry)
  invocations.add(child)
  return {
    step: {
      ...step,
      async settle(state) {
        invocations.close(child, state.stopReason ?? 'error', state.usage)
        const outcome = await step.settle(state)
        within.endCall(callId, outcome as CallOutcome)
        return outcome
      },
    },
    close() {
      invocations.close(child, 'error', {})
      within.failCall(callId, '_OTHER')
    },
  }
}
