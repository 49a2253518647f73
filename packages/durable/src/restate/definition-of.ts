import type { AnyAgent } from '@capstan/core'

const known = new WeakMap<AnyAgent, Promise<string>>()

/** Changes when the tools of an agent do, or of those that its runs may come to. */
export function definitionOf(agent: AnyAgent): Promise<string> {
  const found = known.get(agent) ?? agent.prepare('?').then(({ definitionHash }) => definitionHash)
  known.set(agent, found)
  return found
}
