import type { Artifact, SessionStore } from '@capstan/core'
import type { AllowedOrigins } from './origins.js'

/** Who asks. What belongs to one id is nobody else's: runs, sessions, calls that wait, artifacts. */
export interface User {
  readonly id: string
}

/** Says who asks; nothing, or an answer of its own such as a challenge, refuses. */
export type Authenticate = (
  request: Request,
) => User | Response | undefined | Promise<User | Response | undefined>

export interface HandlerOptions {
  /** Asked before anything else, for every route. `false`: anybody may ask, and all are one user. */
  readonly authenticate: Authenticate | false
  /** Where the routes begin. Default: at the root. */
  readonly basePath?: string
  /**
   * The run's context, where the agent's tools ask for one. `sent` is what the request says, as JSON and unchecked: with
   * AG-UI its `state` and `forwardedProps` stand there.
   */
  readonly context?: (request: Request, user: User, sent: Readonly<Record<string, unknown>>) => unknown
  /** Where conversations are kept that a request names by `session`. Default: nowhere, and such requests are refused. */
  readonly sessions?: SessionStore
  /** Pages of other origins that may ask. Default: none. */
  readonly origins?: AllowedOrigins
  /** Whether a run goes on when its reader has left, to be read later. Default: it is aborted. */
  readonly onDisconnect?: 'abort' | 'finish'
  /** Bytes of a request's body. Default 1 MiB. */
  readonly maxBodyBytes?: number
  /** Runs at one time; more are answered with 429. Default 100. */
  readonly maxRuns?: number
  /**
   * Runs of one user at one time; more are answered with 429, and other users are not. Default: a quarter of `maxRuns`;
   * all of them with `authenticate: false`.
   */
  readonly maxRunsPerUser?: number
  /** Seconds that a run may take. Default 600. */
  readonly maxSeconds?: number
  /** Milliseconds between signs of life on a quiet stream. Default 8 s: some hosts hang up after ten. */
  readonly keepAliveMs?: number
  /** Milliseconds that a run which is over can still be read. Default 60 s. */
  readonly keepRunsMs?: number
  /** Whether a user may read an artifact. Default: what their runs made or were given, as far as this process knows. */
  readonly mayRead?: (artifact: Artifact, user: User) => boolean | Promise<boolean>
  /**
   * Takes each failure whose message callers are not given; may return a promise. When it fails itself, that is a process
   * warning. Default: one process warning, of type `CapstanWarning` and without the message, for each kind of failure.
   */
  readonly onError?: (error: unknown, request: Request) => void
}
