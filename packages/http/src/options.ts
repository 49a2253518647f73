import type { AnyAgent, AnyTool, Artifact, ArtifactStore, ContextOf, SessionStore } from '@capstan/core'
import { checkOptionNames, isRecord } from '@capstan/core/internal'
import { memoryRunStore, type RunStore } from '@capstan/stores'
import {
  type ApprovalOptions,
  type ApprovalSettings,
  type PendingNotice,
  toApprovalSettings,
} from './approvals.js'
import { type AllowedOrigins, parseHostname } from './cors.js'

/** The user who sent a request. Runs, sessions, pending calls and artifacts belong to one user id. */
export interface User {
  /** Any string that is not empty. */
  readonly id: string
}

/**
 * Returns the user who sent a request. `undefined` rejects the request with 401; a `Response`, such as a challenge, is
 * sent unchanged. If a user's `id` is not a non-empty string, the client gets 500 and `onError` gets the error.
 */
export type Authenticate = (
  request: Request,
) => User | Response | undefined | Promise<User | Response | undefined>

export interface HandlerOptions<Context = unknown> {
  /**
   * Identifies the user before a route runs. With `false`, anyone can use the server, and all clients count as one
   * user.
   */
  readonly authenticate: Authenticate | false
  /** The path at which the routes start. Default: the root. */
  readonly basePath?: string
  /**
   * Returns the context for the run's tools. Its type is the one that the tools require. Must settle within
   * `maxSeconds`. `sent` is the request's JSON, which is not validated. With AG-UI, it contains `state` and
   * `forwardedProps`. Default: no context.
   */
  readonly context?: (
    request: Request,
    user: User,
    sent: Readonly<Record<string, unknown>>,
  ) => Context | Promise<Context>
  /**
   * The store for conversations, which requests select with `session`. Default: none; requests with a `session` are
   * rejected.
   */
  readonly sessions?: SessionStore
  /** Origins, other than the server's own, whose pages may send requests. Default: none. */
  readonly origins?: AllowedOrigins
  /**
   * Host names to serve in addition to those of this machine, such as `agents.example.com`. Checked only with
   * `authenticate: false`, because a page can point its own host name at this machine and read the responses.
   * Default: none.
   */
  readonly hosts?: readonly string[]
  /** `'finish'` continues a run after its client disconnects, so that clients can read it later. Default: `'abort'`. */
  readonly onDisconnect?: 'abort' | 'finish'
  /** Maximum bytes of one request body. Default 1 MiB. */
  readonly maxBodyBytes?: number
  /**
   * Maximum bytes of all bodies that are being read at the same time. Requests beyond this limit get 503. One user may
   * use a quarter of it, or `maxBodyBytes` if that is more; beyond that the user gets 429. Default 64 MiB.
   */
  readonly maxBodiesBytes?: number
  /** Maximum concurrent runs. Runs beyond this limit get 429. Default 100. */
  readonly maxRuns?: number
  /**
   * Maximum concurrent runs of one user. Runs beyond this limit get 429. Default: a quarter of `maxRuns`; all of
   * `maxRuns` with `authenticate: false`.
   */
  readonly maxRunsPerUser?: number
  /** Maximum seconds that a run may take. Default 600. */
  readonly maxSeconds?: number
  /**
   * Milliseconds between keep-alive comments on a quiet stream. Default 8,000, because some hosts close a quiet stream
   * after 10 s.
   */
  readonly keepAliveMs?: number
  /**
   * The store for runs with their events and decisions. If several processes share it, each can serve every run and
   * continue the runs of a process that died. Default: `memoryRunStore()`, for one process.
   */
  readonly runs?: RunStore
  /** Milliseconds for which an ended run can still be read. Default 60,000. */
  readonly keepRunsMs?: number
  /** Milliseconds after which a pending run is removed. Default: 30 days. */
  readonly keepPendingMs?: number
  /**
   * Milliseconds after which other processes take over the runs of a process that has not renewed its lease, from 1,000
   * to 300,000. A process renews its lease after a third of this time. Default 15,000.
   */
  readonly leaseMs?: number
  /**
   * Milliseconds between checks for runs whose process has died and for expired calls. With 0, call `handler.sweep()`
   * yourself, for example from a cron job. Default 30,000.
   */
  readonly sweepMs?: number
  /**
   * `'resume'` continues a run whose process has died, from the state before its last step. `'fail'` ends the run with
   * the code `stopped`. Default: `'resume'`.
   */
  readonly onLost?: 'resume' | 'fail'
  /**
   * Called once with newly pending calls, after they have been stored, for example to send an email or show them in an
   * inbox. May return a promise. Errors go to `onError`.
   */
  readonly onPending?: (notice: PendingNotice) => unknown
  /**
   * Returns the artifact store for a user's runs. It is called for each request and run, and must return a store with
   * the same artifacts each time. Default: a view of the agent's store that contains only the artifacts known to be the
   * user's.
   */
  readonly artifacts?: (user: User) => ArtifactStore
  /**
   * Milliseconds after an artifact's last use until it is removed; removal may take up to twice as long. An artifact is
   * kept as long as another user also has it or a run needs it. Pending runs need the artifacts that they refer to.
   * Runs that are active or still readable need the artifacts that they have stored, read or received in their input;
   * if such a run has a session, it needs all of its user's artifacts. Cannot be combined with `artifacts`. Default:
   * artifacts are never removed.
   */
  readonly keepArtifactsMs?: number
  /**
   * Sets how long calls stay pending, and the secrets for tokens that allow decisions without a login. Default: 7 days,
   * no tokens.
   */
  readonly approvals?: ApprovalOptions
  /**
   * Whether a user may read an artifact over HTTP. Default: true for artifacts that the user's runs are known to have
   * created or received; with the `artifacts` option, for all artifacts in the store that it returns.
   */
  readonly mayRead?: (artifact: Artifact, user: User) => boolean | Promise<boolean>
  /**
   * Receives each failure whose message is hidden from clients. May return a promise. If `onError` itself fails, a
   * process warning is emitted. Default: one `CapstanWarning` process warning per kind of failure, without the message.
   */
  readonly onError?: (error: unknown, request: Request) => void
}

/** The handler options for these agents. `context` is required if one of their tools needs a context. */
export type HandlerOptionsOf<Agents extends AnyAgent | readonly AnyAgent[]> =
  unknown extends ContextOfAgents<Agents>
    ? HandlerOptions
    : HandlerOptions<ContextOfAgents<Agents>> &
        Required<Pick<HandlerOptions<ContextOfAgents<Agents>>, 'context'>>

/** The context that the tools of all these agents need; `unknown` if none needs one. */
type ContextOfAgents<Agents extends AnyAgent | readonly AnyAgent[]> =
  TakerOf<Agents extends readonly AnyAgent[] ? Agents[number] : Agents> extends (
    context: infer Context,
  ) => void
    ? Context
    : unknown

/** One function type per agent, so that inference intersects the contexts that the agents need. */
type TakerOf<One> = One extends { readonly tools: infer Tools extends readonly AnyTool[] }
  ? (context: ContextOf<Tools>) => void
  : never

/** The options, with defaults filled in. */
export type Settings = Omit<HandlerOptions, 'approvals'> &
  Required<Pick<HandlerOptions, Defaulted>> & { readonly approvals: ApprovalSettings }

type Defaulted =
  | 'basePath'
  | 'origins'
  | 'hosts'
  | 'onDisconnect'
  | 'maxBodyBytes'
  | 'maxBodiesBytes'
  | 'maxRuns'
  | 'maxRunsPerUser'
  | 'maxSeconds'
  | 'keepAliveMs'
  | 'runs'
  | 'keepRunsMs'
  | 'keepPendingMs'
  | 'leaseMs'
  | 'sweepMs'
  | 'onLost'

/**
 * Checks the options and adds their defaults.
 * @throws TypeError for an invalid option; CapstanError `invalid_request` for an unknown option
 */
export function toSettings(options: HandlerOptions): Settings {
  const { authenticate } = checked(options)
  const { basePath = '/', origins = [], hosts = [], onDisconnect = 'abort' } = options
  const { maxBodyBytes = 2 ** 20, maxRuns = 100 } = options
  const { maxSeconds = 600, keepAliveMs = 8000, keepRunsMs = 60_000 } = options
  const { leaseMs = 15_000, sweepMs = 30_000, keepPendingMs = 30 * dayMs } = options
  const { onLost = 'resume', runs = memoryRunStore() } = options
  const { maxBodiesBytes = Math.max(64 * 2 ** 20, maxBodyBytes) } = options
  // Without authentication, all requests count as one user, who may then have all runs.
  const { maxRunsPerUser = authenticate === false ? maxRuns : Math.ceil(maxRuns / 4) } = options
  const limits = { maxBodyBytes, maxBodiesBytes, maxRuns, maxRunsPerUser }
  const times = { maxSeconds, keepAliveMs, keepRunsMs, keepPendingMs, sweepMs }
  for (const [name, value] of Object.entries({ ...limits, ...times }))
    if (typeof value !== 'number' || !(value >= 0)) throw invalid(name, value, 'Pass a number of at least 0.')
  if (maxBodiesBytes < maxBodyBytes)
    throw invalid('maxBodiesBytes', maxBodiesBytes, `Pass at least maxBodyBytes, which is ${maxBodyBytes}.`)
  if (typeof leaseMs !== 'number' || !(leaseMs >= 1000 && leaseMs <= 300_000))
    throw invalid('leaseMs', leaseMs, 'Pass a number from 1,000 to 300,000.')
  return {
    ...options,
    ...limits,
    ...{ runs, leaseMs, onLost, keepPendingMs },
    sweepMs: Math.min(sweepMs, longestMs),
    // The longest delay of a timer is 2^31 - 1 ms.
    maxSeconds: Math.min(maxSeconds, longestMs / 1000),
    keepAliveMs: Math.min(keepAliveMs, longestMs),
    keepRunsMs: Math.min(keepRunsMs, longestMs),
    basePath: `/${basePath.replace(/^\/+|\/+$/g, '')}`,
    origins,
    hosts,
    onDisconnect,
    approvals: toApprovalSettings(options.approvals),
  }
}

const longestMs = 2 ** 31 - 1
const dayMs = 24 * 60 * 60 * 1000

const optionNames: Readonly<Record<keyof HandlerOptions, true>> = {
  authenticate: true,
  basePath: true,
  context: true,
  sessions: true,
  origins: true,
  hosts: true,
  onDisconnect: true,
  maxBodyBytes: true,
  maxBodiesBytes: true,
  maxRuns: true,
  maxRunsPerUser: true,
  maxSeconds: true,
  keepAliveMs: true,
  runs: true,
  keepRunsMs: true,
  keepPendingMs: true,
  leaseMs: true,
  sweepMs: true,
  onLost: true,
  onPending: true,
  approvals: true,
  artifacts: true,
  keepArtifactsMs: true,
  mayRead: true,
  onError: true,
}

/** Checks the types, because JavaScript callers can pass anything. */
function checked(options: HandlerOptions): HandlerOptions {
  if (isRecord(options))
    checkOptionNames(options, optionNames, {
      of: 'agentHandler',
      code: 'invalid_request',
      names: { authenticate: 'auth', origins: 'cors', basePath: 'path prefix' },
    })
  const { authenticate, basePath, origins = [], hosts = [] } = options ?? {}
  if (authenticate !== false && typeof authenticate !== 'function')
    throw new TypeError(
      "agentHandler: authenticate is not set. Pass a function that returns the user's { id }, or false to serve anyone.",
    )
  if (basePath !== undefined && typeof basePath !== 'string')
    throw invalid('basePath', basePath, 'Pass a path, such as /agent.')
  if (origins !== '*' && !Array.isArray(origins))
    throw invalid('origins', origins, 'Pass an array, such as ["https://app.example"], or "*".')
  if (!Array.isArray(hosts) || !hosts.every((host) => typeof host === 'string' && parseHostname(host)))
    throw invalid('hosts', hosts, 'Pass an array of host names, such as ["agents.example.com"].')
  const { onDisconnect = 'abort', sessions, runs, onLost = 'resume' } = options
  if (!['abort', 'finish'].includes(onDisconnect))
    throw invalid('onDisconnect', onDisconnect, 'Pass "abort" or "finish".')
  if (!['resume', 'fail'].includes(onLost)) throw invalid('onLost', onLost, 'Pass "resume" or "fail".')
  if (runs !== undefined && (typeof runs?.put !== 'function' || typeof runs.append !== 'function'))
    throw new TypeError(
      'agentHandler: runs lacks put or append. Use memoryRunStore(), a store from @capstan/stores, or folderRunStore() from @capstan/stores/node.',
    )
  if (sessions && typeof sessions.wrapRun !== 'function')
    throw invalid('sessions', sessions, 'Use memorySessions(), or sessionStore({ load, ... }).')
  for (const name of ['context', 'artifacts', 'mayRead', 'onError', 'onPending'] as const)
    if (options[name] !== undefined && typeof options[name] !== 'function')
      throw invalid(name, options[name], 'Pass a function.')
  return options
}

function invalid(name: string, value: unknown, advice: string): TypeError {
  const shown = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return new TypeError(`agentHandler: ${name} cannot be ${shown?.slice(0, 100)}. ${advice}`)
}
