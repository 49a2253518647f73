import type { AnyAgent } from '@capstan/core'
import { type RestateOptions, toPlan } from '../../src/restate/options.js'
import { DurableOnRestate } from '../../src/restate/runs.js'
import { RestateServer } from '../../src/restate/server.js'
import { startWorkerOf } from '../../src/restate/worker.js'
import type { FaultPoint, HostUnderTest } from '../../src/testing/journal-host.js'

/** Drives runs on a worker that dies wherever it is told to, as far as Restate can tell. */
export async function faultHost(
  agents: readonly AnyAgent[],
  options: RestateOptions,
): Promise<HostUnderTest> {
  const plans = new Map(agents.map((agent) => [agent, toPlan(agent, options)]))
  const journals = new Map<string, (point: FaultPoint) => boolean>()
  const die = (key: string, point: FaultPoint) => {
    const id = [...journals.keys()].find((journal) => key === journal || key.startsWith(`${journal}/`))
    return id !== undefined && (journals.get(id)?.(point) ?? false)
  }
  await startWorkerOf([...plans.values()], { port: 0 }, die)
  return {
    async drive(journal, agent, state, dies) {
      const plan = plans.get(agent) ?? toPlan(agent, options)
      journals.set(journal, dies)
      await new RestateServer(plan).send(plan.service, journal, 'run', { state, settings: {}, digest: '' })
      return (await new DurableOnRestate(plan).result(journal)).state
    },
  }
}
