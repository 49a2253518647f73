import { CapstanError } from '../words/error.js'
import type { BindHost, HostBinding, RunHost, Settled, Step, WaitOptions } from '../words/host.js'
import { pause } from '../words/pause.js'

/** The default host: everything in memory, nothing recorded, nothing in the way. */
export const memoryHost: BindHost = (binding) => {
  const step = <T>(one: Step<T>): Promise<T> => perform(one, binding)
  const host: RunHost = {
    step,
    all: (steps) => Promise.all(steps.map((one) => settle(step(one)))),
    waitFor: async <T>(_key: string, { call }: WaitOptions = {}) =>
      call && ((await binding.decided?.(call)) as T | undefined),
    now: async () => Date.now(),
    id: async () => crypto.randomUUID(),
    sleep: (_key, ms) => pause(ms, binding.signal),
    retries: 'core',
  }
  return host
}

async function perform<T>(step: Step<T>, binding: HostBinding): Promise<T> {
  if ('run' in step)
    return step.run({ idempotencyKey: `${binding.runId}/${step.key}`, signal: binding.signal })
  const { agent, state } = step.child
  const child = binding.agents.get(agent)
  if (!child)
    throw new CapstanError('not_found', `No agent "${agent}" is known to this run.`, { evidence: { agent } })
  return step.settle(await child.proceed(state, { ...binding, runId: state.runId }))
}

async function settle<T>(promise: Promise<T>): Promise<Settled<T>> {
  try {
    return { ok: true, value: await promise }
  } catch (error) {
    return { ok: false, error }
  }
}
