import type { AnyAgent } from '@capstan/core'
import { folderArtifacts } from '@capstan/core/node'
import { pageAgent } from '../long-runs/page-agents.js'
import { countedAgent, withoutJournal } from './counted-agent.js'
import { programAgent } from './program-agent.js'

/** An agent that reads pages, and shortens its requests. */
export interface Reader {
  readonly way: string
  /** The folder of its artifacts, which all workers share. */
  readonly folder: string
  readonly contextTokens?: number
  /** The text of the pages. */
  readonly says: string
}

/**
 * Returns the agent of a worker, by a text: `counted` or `program`, `forgetful` or `forgetful program` for the same
 * without a journal, or the JSON of a `Reader`.
 */
export function killedAgent(text: string, origin: string, worker = ''): AnyAgent {
  if (text === 'counted') return countedAgent(origin, worker)
  if (text === 'forgetful') return withoutJournal(countedAgent(origin, worker))
  if (text === 'program') return programAgent(origin)
  if (text === 'forgetful program') return withoutJournal(programAgent(origin))
  const { way, folder, ...options }: Reader = JSON.parse(text)
  return pageAgent(way, { ...options, origin, artifacts: folderArtifacts(folder) })
}
