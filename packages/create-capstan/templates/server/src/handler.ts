import { timingSafeEqual } from 'node:crypto'
import { agentHandler } from '@capstan/http'
import { agent } from './agent.js'

/** Serves the agent to clients that know the key. Replace `authenticate` by your own users. */
export function serveAgent(key: string) {
  return agentHandler(agent, {
    authenticate: ({ headers }) =>
      isEqual(headers.get('authorization') ?? '', `Bearer ${key}`) ? { id: 'owner' } : undefined,
  })
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
