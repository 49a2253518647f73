import { folderRuns, persistent } from '@capstan/durable'
import { agent } from './agent.js'
import { openModelServer } from './model-server.js'

/** Opens the runs of the agent. */
export async function openDesk(store = folderRuns('runs')) {
  const server = await openModelServer()
  const desk = persistent(agent, { store })
  const close = async () => {
    await desk.close()
    await server.close()
  }
  return { desk, close }
}
