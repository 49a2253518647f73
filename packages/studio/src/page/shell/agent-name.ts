import { studio } from '../api/state.js'
import { route } from './route.js'

/** Returns the agent that screens show: the one in the URL, otherwise the file's first. */
export function agentName(): string | undefined {
  const { agents } = studio.value ?? { agents: [] }
  const asked = route.value.query['agent']
  return agents.find(({ name }) => name === asked)?.name ?? agents[0]?.name
}
