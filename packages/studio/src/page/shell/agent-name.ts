import { studio } from '../api/state.js'
import { route } from './route.js'

/** Returns the name of the agent in the URL, or of the file's first agent. Undefined if the file exports no agent. */
export function agentName(): string | undefined {
  const { agents } = studio.value ?? { agents: [] }
  const asked = route.value.query['agent']
  return agents.find(({ name }) => name === asked)?.name ?? agents[0]?.name
}
