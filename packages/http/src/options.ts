import type { AnyAgent, AnyTool, Artifact, ArtifactStore, ContextOf, SessionStore } from '@capstan/core'
import { type AllowedOrigins, toHostname } from './cors.js'

/** Who asks. What belongs to one id is nobody else's: runs, sessions, calls that wait, artifacts. */
export interface User {
  /** Any text that is not empty. */
  readonly id: string
}

/**
 * Says who asks; nothing, or an answer of its own such as a challenge, refuses. A user without an `id` that is a text is
 * a mistake of the application: the request is answered with 500, and `onError` is told.
 */
export type Authenticate = (
  request: Request,
) => User | Response | undefined | Promise<User | Response | undefined>

export interface HandlerOptions<Context = unknown> {
  /** Asked before anything else, for every route. `false`: anybody may ask, and all are one user. */
  readonly authenticate: Authenticate | false
  /** Where the routes begin. Default: at the root. */
  readonly basePath?: string
  /**
   * The run's context, which its tools get: the type follows from the tools of the agents. It must settle within
   * `maxSeconds`. `sent` is the request's JSON, unchecked: with AG-UI it has `state` and `forwardedProps`. Default: none.
   */
  readonly context?: (
    request: Request,
    user: User,
    sent: Readonly<Record<string, unknown>>,
  ) => Context | Promise<Context>
  /** Where conversations are kept that a request names by `session`. Default: nowhere, and such requests are refused. */
  readonly sessions?: SessionStore
  /** Pages of other origins that may ask. Default: none. */
  readonly origins?: AllowedOrigins
  /**
   * Host names that are served besides those of this machine, such as `agents.example.com`. They are checked with
   * `authenticate: false` only: a page can point a name of its own at this machine and read the answers. Default: none.
   */
  readonly hosts?: readonly string[]
  /** Whether a run goes on when its reader has left, to be read later. Default: it is aborted. */
  readonly onDisconnect?: 'abort' | 'finish'
  /** Bytes of a request's body. Default 1 MiB. */
  readonly maxBodyBytes?: number
  /**
   * Bytes of all bodies that are being read at one time; more are answered with 503. One user may have a quarter of
   * them, unless that is less than `maxBodyBytes`; more of one user is answered with 429. Default 64 MiB.
   */
  readonly maxBodiesBytes?: number
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
  /**
   * The store of a user's runs, called for each request and run: it must give a user the same artifacts each time.
   * Default: a view of the agent's store that has what the user's runs made or were given, as far as this process knows.
   */
  readonly artifacts?: (user: User) => ArtifactStore
  /**
   * Milliseconds after its last use until an artifact that was made or given here is removed, at most twice as long. It
   * stays while another user has it, or a run needs it: one that goes on or can still be read and that stored it, looked
   * at it or names it in its input, any run in a session, and a run that waits and names it. Not together with
   * `artifacts`. Default: for ever.
   */
  readonly keepArtifactsMs?: number
  /**
   * Whether a user may read an artifact over HTTP. Default: what their runs made or were given, as far as this process
   * knows; all in a store that `artifacts` gives.
   */
  readonly mayRead?: (artifact: Artifact, user: User) => boolean | Promise<boolean>
  /**
   * Takes each failure whose message callers are not given; may return a promise. When it fails itself, that is a process
   * warning. Default: one process warning, of type `CapstanWarning` and without the message, for each kind of failure.
   */
  readonly onError?: (error: unknown, request: Request) => void
}

/** The options of a handler of these agents: `context` is required when a tool of theirs asks for one. */
export type HandlerOptionsOf<Agents extends AnyAgent | readonly AnyAgent[]> =
  unknown extends ContextOfAgents<Agents>
    ? HandlerOptions
    : HandlerOptions<ContextOfAgents<Agents>> &
        Required<Pick<HandlerOptions<ContextOfAgents<Agents>>, 'context'>>

/** The context that the tools of these agents ask for together; `unknown` when none does. */
type ContextOfAgents<Agents extends AnyAgent | readonly AnyAgent[]> =
  TakerOf<Agents extends readonly AnyAgent[] ? Agents[number] : Agents> extends (
    context: infer Context,
  ) => void
    ? Context
    : unknown

/** A function for each agent: what fits all of them is the intersection of what they ask for. */
type TakerOf<One> = One extends { readonly tools: infer Tools extends readonly AnyTool[] }
  ? (context: ContextOf<Tools>) => void
  : never

/** The options with their defaults. */
export type Settings = HandlerOptions & Required<Pick<HandlerOptions, Defaulted>>

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
  | 'keepRunsMs'

/** @throws TypeError for an option that is not valid */
export function toSettings(options: HandlerOptions): Settings {
  const { authenticate } = checked(options)
  const { basePath = '/', origins = [], hosts = [], onDisconnect = 'abort' } = options
  const { maxBodyBytes = 2 ** 20, maxRuns = 100 } = options
  const { maxSeconds = 600, keepAliveMs = 8000, keepRunsMs = 60_000 } = options
  const { maxBodiesBytes = Math.max(64 * 2 ** 20, maxBodyBytes) } = options
  // Where all are one user, this user may have all runs.
  const { maxRunsPerUser = authenticate === false ? maxRuns : Math.ceil(maxRuns / 4) } = options
  const limits = { maxBodyBytes, maxBodiesBytes, maxRuns, maxRunsPerUser }
  const times = { maxSeconds, keepAliveMs, keepRunsMs }
  for (const [name, value] of Object.entries({ ...limits, ...times }))
    if (typeof value !== 'number' || !(value >= 0))
      throw invalid(name, value, 'Give a number that is not negative.')
  if (maxBodiesBytes < maxBodyBytes)
    throw invalid('maxBodiesBytes', maxBodiesBytes, `Give at least maxBodyBytes, which is ${maxBodyBytes}.`)
  return {
    ...options,
    ...limits,
    // Timers take no longer times.
    maxSeconds: Math.min(maxSeconds, longestMs / 1000),
    keepAliveMs: Math.min(keepAliveMs, longestMs),
    keepRunsMs: Math.min(keepRunsMs, longestMs),
    basePath: `/${basePath.replace(/^\/+|\/+$/g, '')}`,
    origins,
    hosts,
    onDisconnect,
  }
}

const longestMs = 2 ** 31 - 1

/** Callers in JavaScript may give anything. */
function checked(options: HandlerOptions): HandlerOptions {
  const { authenticate, basePath, origins = [], hosts = [] } = options ?? {}
  if (authenticate !== false && typeof authenticate !== 'function')
    throw new TypeError(
      'agentHandler needs the option authenticate. Give a function that returns the { id } of the user, or false to serve anybody.',
    )
  if (basePath !== undefined && typeof basePath !== 'string')
    throw invalid('basePath', basePath, 'Give a path, such as /agent.')
  if (origins !== '*' && !Array.isArray(origins))
    throw invalid('origins', origins, 'Give a list, such as ["https://app.example"], or "*".')
  if (!Array.isArray(hosts) || !hosts.every((host) => typeof host === 'string' && toHostname(host)))
    throw invalid('hosts', hosts, 'Give a list of host names, such as ["agents.example.com"].')
  for (const name of ['context', 'artifacts', 'mayRead', 'onError'] as const)
    if (options[name] !== undefined && typeof options[name] !== 'function')
      throw invalid(name, options[name], 'Give a function.')
  return options
}

function invalid(name: string, value: unknown, advice: string): TypeError {
  const shown = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return new TypeError(`The option ${name} of agentHandler is ${shown?.slice(0, 100)}. ${advice}`)
}
