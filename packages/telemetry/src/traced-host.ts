import type { ChildStep, RunHost, RunStep, Step, StepContext } from '@capstan/core'
import { codeOf } from './errors.js'
import { type Came, Invocation, type Invocations } from './spans.js'

/** Where steps belong. */
export interface Site {
  readonly invocations: Invocations
  readonly runId: string
}

/** A host whose steps are as they were, each with its span as the active one while it runs. */
export function tracedHost(inner: RunHost, site: Site): RunHost {
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
  /** Ends what its step should have ended. */
  readonly close?: () => void
}

function tracedRun<T>(step: RunStep<T>, invocation: Invocation): RunStep<T> {
  const { kind, name, callId } = step.options ?? {}
  if (kind === 'tool' && callId !== undefined)
    return { ...step, run: (context) => runCall(step, { invocation, callId, name: name ?? '' }, context) }
  return { ...step, run: (context) => runOther(step, invocation, context) }
}

interface Call {
  readonly invocation: Invocation
  readonly callId: string
  readonly name: string
}

async function runCall<T>(
  step: RunStep<T>,
  { invocation, callId, name }: Call,
  context: StepContext,
): Promise<T> {
  const operation = invocation.beginCall(callId, name)
  try {
    const came = await operation.within(() => step.run(context))
    invocation.endCall(callId, came as Came)
    return came
  } catch (error) {
    invocation.failCall(callId, codeOf(error))
    throw error
  }
}

async function runOther<T>(step: RunStep<T>, invocation: Invocation, context: StepContext): Promise<T> {
  try {
    return await invocation.operation.within(() => step.run(context))
  } catch (error) {
    invocation.noteFailure(codeOf(error))
    throw error
  }
}

/** The run of an agent that answers a call: it is over when its state is settled. */
function tracedChild<T>(step: ChildStep<T>, within: Invocation, { invocations }: Site): Traced<T> {
  const { agent, callId, state } = step.child
  const path = within.path === '' ? callId : `${within.path}/${callId}`
  const parent = within.operationOf(callId).context
  const child = new Invocation({ agent, runId: state.runId, path, within }, parent, within.scope)
  invocations.add(child)
  return {
    step: {
      ...step,
      async settle(state) {
        invocations.close(child, state.stopReason ?? 'error')
        const came = await step.settle(state)
        within.endCall(callId, came as Came)
        return came
      },
    },
    close() {
      invocations.close(child, 'error')
      within.failCall(callId, '_OTHER')
    },
  }
}
