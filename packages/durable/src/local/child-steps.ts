import { type CreateHost, type Json, memoryHost, type RunState } from '@capstan/core'
import { currentStep, openCalls, wrapHost } from '@capstan/core/internal'

/** The results of child runs' steps. The keys have the form `RUN_ID/STEP_KEY`. */
export type ChildSteps = Readonly<Record<string, Json>>

/**
 * Creates an in-process host that passes each step result from child runs to `keep`. A run's state contains a child
 * run only when the child run is pending, so a crash would otherwise lose these results. Steps with a result in
 * `known` do not run again.
 */
export function childStepsHost(
  known: ChildSteps,
  keep: (key: string, outcome: Json) => Promise<unknown>,
): CreateHost {
  const hostWithin: CreateHost = (binding) =>
    wrapHost(memoryHost({ ...binding, hostWithin }), {
      run: (step) => ({
        ...step,
        async run(context) {
          const key = `${binding.runId}/${step.key}`
          if (Object.hasOwn(known, key)) return known[key] as never
          const outcome = await step.run(context)
          // A step that was interrupted by an abort has no result, and runs again.
          if (!binding.signal.aborted) await keep(key, JSON.parse(JSON.stringify(outcome ?? null)))
          return outcome
        },
      }),
    })
  return (binding) => memoryHost({ ...binding, hostWithin })
}

/** Returns the step results that the open calls in this state still need. */
export function openChildSteps(steps: ChildSteps, state: RunState): ChildSteps {
  if (openCalls(state).length === 0) return {}
  const { begunBy = state.runId } = state
  const prefix = `${begunBy}/step${currentStep(state)}/child`
  return Object.fromEntries(Object.entries(steps).filter(([key]) => key.startsWith(prefix)))
}
