import { sleep } from '../async.js'
import { CapstanError } from '../errors.js'
import { type EventBody, withFields } from '../types/event.js'
import type {
  ChildStep,
  CreateHost,
  HostContext,
  RunHost,
  RunStep,
  Settled,
  Step,
  WaitOptions,
} from '../types/host.js'

/** The default host: runs steps in this process and records nothing. */
export const memoryHost: CreateHost = (binding) => {
  const step = <T>(one: Step<T>): Promise<T> => ('run' in one ? run(one, binding) : proceed(one, binding))
  const host: RunHost = {
    step,
    all: (steps) => Promise.all(steps.map((one) => settle(step(one)))),
    waitFor: async <T>(_key: string, { call }: WaitOptions = {}) =>
      call && ((await binding.decided?.(call)) as T | undefined),
    now: async () => Date.now(),
    id: async () => crypto.randomUUID(),
    sleep: (_key, ms) => sleep(ms, binding.signal),
    retries: 'core',
  }
  return host
}

function run<T>(step: RunStep<T>, { runId, signal }: HostContext): Promise<T> {
  try {
    return step.run({ idempotencyKey: `${runId}/${step.key}`, signal })
  } catch (error) {
    return Promise.reject(error)
  }
}

async function proceed<T>(step: ChildStep<T>, binding: HostContext): Promise<T> {
  const { agent, state, callId } = step.child
  const child = binding.agents.get(agent)
  if (!child)
    throw new CapstanError('not_found', `This run has no agent "${agent}".`, { evidence: { agent } })
  return step.settle(await child.proceed(state, within(binding, state.runId, callId)))
}

/** Returns the host context of a child run: its events carry the id of the call. */
export function within(binding: HostContext, runId: string, callId: string): HostContext {
  const { emit, decided } = binding
  const pathTo = (inner: string | undefined) => (inner === undefined ? callId : `${callId}/${inner}`)
  const told = (event: EventBody): EventBody => {
    const parentCallId = pathTo(event.parentCallId)
    // Decisions on it, given to the top run, use this id.
    return event.type === 'call-pending'
      ? { ...event, parentCallId, callId: pathTo(event.callId) }
      : withFields(event, { parentCallId })
  }
  return {
    ...binding,
    runId,
    emit: emit && ((event) => emit(told(event))),
    ...(decided ? { decided: (call) => decided({ ...call, callId: pathTo(call.callId) }) } : {}),
  }
}

/** Returns the outcome of a step as a value. */
export function settle<T>(promise: Promise<T>): Promise<Settled<T>> {
  return promise.then(
    (value) => ({ ok: true, value }),
    (error: unknown) => ({ ok: false, error }),
  )
}
