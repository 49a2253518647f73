import type { AnyAgent, ChildRunner, CreateHost, HostStep, RunHost, Step } from '@capstan/core'
import { settle } from '@capstan/core/internal'
import type { FaultPoint } from '../../src/testing.js'

/** Called at each fault point. Its promise never resolves if the worker dies there. */
export type Die = (point: FaultPoint) => Promise<void> | undefined

/** Wraps an agent in a host whose workers die. Calls `newWorker` when a worker starts a run. */
export function dyingAgent(agent: AnyAgent, newWorker: () => Die): AnyAgent {
  const on = (host: CreateHost | undefined): CreateHost | undefined => host && dyingHost(host, newWorker)
  const within = ({ name, start, proceed }: ChildRunner, child: ChildRunner): ChildRunner => ({
    name,
    start: (input, run) => start.call(child, input, run),
    proceed: (state, { hostWithin, ...binding }) => {
      const host = on(hostWithin)
      return proceed.call(child, state, host ? { ...binding, hostWithin: host } : binding)
    },
  })
  return {
    name: agent.name,
    artifacts: agent.artifacts,
    tools: agent.tools,
    agents: new Map([...agent.agents].map(([name, child]) => [name, within(child, child)])),
    prepare: (input, options) => agent.prepare(input, options),
    run: (input, { host, ...options } = {}) =>
      agent.run(input, { ...options, ...hostOption(on(host)) } as typeof options),
    stream: (input, { host, ...options } = {}) =>
      agent.stream(input, { ...options, ...hostOption(on(host)) } as typeof options),
    with: (changes) => agent.with(changes),
  }
}

function hostOption(host: CreateHost | undefined) {
  return host ? { host } : {}
}

function dyingHost(bind: CreateHost, newWorker: () => Die): CreateHost {
  return (binding) => {
    const host = bind(binding)
    const die = newWorker()
    const dying = <T>(step: Step<T>): Step<T> =>
      'run' in step ? { ...step, run: (context) => perform(step, context, die) } : step
    const inner: RunHost = {
      ...host,
      async step(step) {
        const came = await settle(host.step(dying(step)))
        await die({ key: step.key, when: 'kept' })
        if (!came.ok) throw came.error
        return came.value
      },
      async all(steps) {
        const values = await host.all(steps.map(dying))
        for (const { key } of steps) await die({ key, when: 'kept' })
        return values
      },
    }
    return inner
  }
}

async function perform<T>(
  step: HostStep<T>,
  context: Parameters<HostStep<T>['run']>[0],
  die: Die,
): Promise<T> {
  await die({ key: step.key, when: 'before' })
  const came = await settle(step.run(context))
  await die({ key: step.key, when: 'after' })
  if (!came.ok) throw came.error
  return came.value
}
