import type { AnyAgent } from '@capstan/core'
import { type RestateOptions, toConfig } from '../../src/restate/options.js'
import { RestateRuns } from '../../src/restate/runs.js'
import { RestateServer } from '../../src/restate/server.js'
import { startRestateWorker } from '../../src/restate/worker.js'
import type { FaultPoint, HostUnderTest } from '../../src/testing/journal-host.js'

/** A host under test with a worker that dies at the given points, as far as Restate can see. */
export async function faultHost(
  agents: readonly AnyAgent[],
  options: RestateOptions,
): Promise<HostUnderTest> {
  const plans = new Map(agents.map((agent) => [agent, toConfig(agent, options)]))
  const journals = new Map<string, (point: FaultPoint) => boolean>()
  const die = (key: string, point: FaultPoint) => {
    const id = [...journals.keys()].find((journal) => key === journal || key.startsWith(`${journal}/`))
    return id !== undefined && (journals.get(id)?.(point) ?? false)
  }
  await startRestateWorker([...plans.values()], { port: 0 }, die)
  return {
    async drive(journal, agent, state, dies) {
      const plan = plans.get(agent) ?? toConfig(agent, options)
      journals.set(journal, dies)
      await new RestateServer(plan).send(plan.service, journal, 'run', { state, settings: {}, digest: '' })
      return (await new RestateRuns(plan).result(journal)).state
    },
  }
}
