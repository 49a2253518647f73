import type { AnyAgent } from '@capstan/core'
import type { LiveRuns, OpenChats } from './active-runs.js'
import type { KnownAnswers } from './chat/known-replies.js'
import { HttpError } from './http-error.js'
import type { Settings, User } from './options.js'
import type { ParkedRuns } from './pending-runs.js'
import type { Quota } from './quota.js'
import type { ReadableArtifacts, UserArtifacts } from './user-artifacts.js'

/** What all routes of a handler share. */
export interface Site {
  readonly agents: ReadonlyMap<string, AnyAgent>
  readonly options: Settings
  readonly runs: LiveRuns
  readonly parked: ParkedRuns
  readonly artifacts: UserArtifacts
  readonly readable: ReadableArtifacts
  readonly chats: OpenChats
  /** Bytes of bodies that are being read. */
  readonly bodies: Quota
  readonly answers: KnownAnswers
}

/** A request that somebody known has made. */
export interface Visit {
  readonly request: Request
  readonly user: User
  readonly site: Site
  /** What is behind the route in the path. */
  readonly rest: readonly string[]
}

/** The agent of that name; without one, the first. @throws HttpError 404 */
export function agentOf({ agents }: Site, name: unknown): AnyAgent {
  const [first] = agents.values()
  const agent = name === undefined ? first : typeof name === 'string' ? agents.get(name) : undefined
  if (agent) return agent
  const said = typeof name === 'string' ? JSON.stringify(name) : 'of a name that is no text'
  const message = `There is no agent ${said}. There are: ${[...agents.keys()].join(', ')}.`
  throw new HttpError(404, 'not_found', message)
}

/** A piece of a path as a text; one that is not well formed stays as it is. */
export function toPathText(piece: string): string {
  try {
    return decodeURIComponent(piece)
  } catch {
    return piece
  }
}
