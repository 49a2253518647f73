import type { AnyAgent } from '@capstan/core'
import { HttpError } from './http-error.js'
import type { User } from './options.js'
import type { Quota } from './quota.js'
import type { KnownItems } from './responses/known-items.js'
import type { Runs } from './runs/runs.js'
import type { RunHandler } from './start-run.js'

/** The state that all routes of a handler share. */
export interface HandlerContext extends RunHandler {
  readonly runs: Runs
  /** Limits how many bytes of request bodies can be read at the same time. */
  readonly bodies: Quota
  readonly items: KnownItems
}

/** A request whose user is authenticated. */
export interface RequestContext {
  readonly request: Request
  readonly user: User
  readonly handler: HandlerContext
  /** The path segments after the route. */
  readonly rest: readonly string[]
}

/**
 * Returns the agent with this name, or the first agent if no name is given.
 * @throws HttpError 404 for an unknown name
 */
export function findAgent({ agents }: HandlerContext, name: unknown): AnyAgent {
  const [first] = agents.values()
  const agent = name === undefined ? first : typeof name === 'string' ? agents.get(name) : undefined
  if (agent) return agent
  const problem =
    typeof name === 'string' ? `No agent ${JSON.stringify(name)}` : 'The agent name is not a string'
  const message = `${problem}. Agents: ${[...agents.keys()].join(', ')}.`
  throw new HttpError(404, 'not_found', message)
}

/** Decodes a path segment. Returns a malformed one unchanged. */
export function decodePathPart(piece: string): string {
  try {
    return decodeURIComponent(piece)
  } catch {
    return piece
  }
}
