import { type CapstanError, type ErrorCode, isCapstanError } from '@capstan/core'
import type { Redactor } from '@capstan/core/internal'
import { HttpError } from '@capstan/http/parts'
import type { Supervisor, Version } from '../runtime/supervisor.js'
import type { RunStore } from '../store/run-store.js'
import type { Studio } from '../types.js'
import type { Changes } from './changes.js'

/** The objects that all routes share. */
export interface StudioParts {
  readonly store: RunStore
  /** The processes that run the agent file. Undefined if the studio was started without a file. */
  readonly supervisor: Supervisor | undefined
  readonly changes: Changes
  /** Removes secrets from states before the states are sent to a page. */
  readonly redactor: Redactor
  readonly file: string | undefined
  about(): Promise<Studio>
}

/** Returns the agent file's supervisor. @throws HttpError 409 if the studio was started without a file */
export function agentsOf({ supervisor }: StudioParts): Supervisor {
  if (supervisor) return supervisor
  throw new HttpError(
    409,
    'no_file',
    'The studio was started without a file. Start it with one: capstan studio agent.ts',
  )
}

/** Returns the agent file's current version. @throws HttpError 409 if no version has been loaded */
export function currentOf(parts: StudioParts): Version {
  const { current, error } = agentsOf(parts)
  if (current) return current
  throw new HttpError(
    409,
    'not_loaded',
    `The file is not loaded. ${error?.message ?? 'Try again in a moment.'}`,
  )
}

/** Converts a CapstanError to an HttpError with the full message, because only the developer sees the page. */
export function toHttpError(error: unknown): unknown {
  if (!isCapstanError(error)) return error
  return new HttpError(statusOf(error), error.code, error.message)
}

function statusOf({ code }: CapstanError): number {
  return statuses[code] ?? 500
}

const statuses: Partial<Record<ErrorCode, number>> = {
  not_found: 404,
  conflict: 409,
  invalid_state: 409,
  invalid_request: 400,
  context_length_exceeded: 400,
  invalid_arguments: 400,
  invalid_tool: 400,
  unknown_tool: 400,
  unsupported: 422,
  timeout: 503,
  network: 502,
  auth: 502,
}
