import { studio } from '../api/state.js'
import { route } from './route.js'

/** The agent that screens are about: of the address, else the first one of the file. */
export function agentName(): string | undefined {
  const { agents } = studio.value ?? { agents: [] }
  const asked = route.value.query['agent']
  return agents.find(({ name }) => name === asked)?.name ?? agents[0]?.name
}
