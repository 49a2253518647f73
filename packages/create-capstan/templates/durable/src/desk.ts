import { folderRuns, persistent } from '@capstan/durable'
import { startService } from '@capstan/service'
import { agent } from './agent.js'

/** Opens the runs of the agent. Without OPENAI_API_KEY the local service replies: it plans by rules. */
export async function openDesk(store = folderRuns('runs')) {
  const service = process.env.OPENAI_API_KEY ? undefined : await startService()
  if (service)
    Object.assign(process.env, { OPENAI_BASE_URL: service.baseURL, OPENAI_API_KEY: service.apiKey })
  const desk = persistent(agent, { store })
  const close = async () => {
    await desk.close()
    await service?.close()
  }
  return { desk, close }
}
