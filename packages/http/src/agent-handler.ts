import type { AnyAgent } from '@capstan/core'
import { toMessagesError } from '@capstan/protocols/errors'
import { agUiRoute } from './ag-ui/route.js'
import { artifactsRoute } from './artifacts.js'
import { KnownReplies } from './chat/known-replies.js'
import { chatRoute, modelsRoute } from './chat/route.js'
import type { HandlerContext, RequestContext } from './context.js'
import { checkHost, checkOrigin, corsHeaders, preflightResponse } from './cors.js'
import { decisionsRoute } from './decisions-route.js'
import { HttpError, reportError, toErrorResponse, toHttpError } from './http-error.js'
import { messagesRoute } from './messages-route.js'
import {
  type HandlerOptions,
  type HandlerOptionsOf,
  type Settings,
  toSettings,
  type User,
} from './options.js'
import { Quota } from './quota.js'
import { hasUnreadBody } from './read-json.js'
import { KnownItems } from './responses/known-items.js'
import { responsesRoute } from './responses/route.js'
import { type Closed, Runs } from './runs/runs.js'
import { sweep } from './runs/sweep.js'
import { tokenDecisions } from './runs/token-decisions.js'
import { runsRoute } from './runs-route.js'
import { toUiErrorResponse } from './ui/error-response.js'
import { uiRoute } from './ui/route.js'
import { UserArtifacts } from './user-artifacts.js'

/** Handles HTTP requests to agents. Works with any server that uses web-standard `Request` and `Response`. */
export interface AgentHandler {
  (request: Request): Promise<Response>
  /**
   * Rejects new runs, and waits `withinMs` for active ones to end (default 0). Then hands over the runs that are still
   * active: gives effects in progress up to 5 s, cuts off the runs' streams, and lets another process that shares the
   * store continue the runs. If the store exists only in this process, the runs are aborted instead.
   */
  close(options?: CloseOptions): Promise<Closed>
  /**
   * Checks the stored runs once: continues runs whose process has died, denies expired calls and removes old runs. Call
   * `sweep` from a cron job if the process does not stay alive between requests.
   */
  sweep(): Promise<void>
}

/** How `AgentHandler.close` treats active runs. */
export interface CloseOptions {
  /** Milliseconds to wait for active runs to end. Default 0. */
  readonly withinMs?: number
  /** The abort reason for runs that are still active. Default: an error with the message `the handler was closed`. */
  readonly reason?: unknown
}

/** The function for each route. On a `'token'` route, the token in the path replaces the login. */
const routes: Readonly<Record<string, 'token' | ((ctx: RequestContext) => Promise<Response>)>> = {
  decisions: 'token',
  'v1/chat/completions': chatRoute,
  'v1/responses': responsesRoute,
  'v1/messages': messagesRoute,
  'v1/models': modelsRoute,
  runs: runsRoute,
  artifacts: artifactsRoute,
  ui: uiRoute,
  'ag-ui': agUiRoute,
}

/**
 * Serves one or more agents over HTTP: as models in three protocols (`v1/chat/completions`, `v1/responses`,
 * `v1/messages`, with `v1/models`), to AI SDK chats (`ui`) and AG-UI clients (`ag-ui`), and as runs with events
 * (`runs`). Also serves their artifacts (`artifacts`).
 * @throws TypeError if there are no agents, `authenticate` is missing or an option is invalid; CapstanError
 * `invalid_request` for an unknown option
 */
export function agentHandler<const Agents extends AnyAgent | readonly AnyAgent[]>(
  agents: Agents,
  options: HandlerOptionsOf<Agents>,
): AgentHandler {
  const context = toContext([agents].flat() as readonly AnyAgent[], options)
  const { authenticate, basePath, origins, hosts, maxBodyBytes, sweepMs } = context.options
  const respond = async (request: Request): Promise<Response> => {
    if (authenticate === false) checkHost(request, hosts)
    if (request.method === 'OPTIONS') return preflightResponse(request, origins)
    checkOrigin(request, origins)
    const found = routeOf(new URL(request.url).pathname, basePath)
    const login = async () => (authenticate === false ? sharedUser : checkUser(await authenticate(request)))
    if (found?.route === 'token') {
      const { rest } = found
      const decisions = tokenDecisions(context, request)
      const { secrets } = context.options.approvals
      return decisionsRoute({ request, handler: context, rest, secrets, decisions, authenticate: login })
    }
    const user = await login()
    if (user instanceof Response) return user
    if (!found) throw new HttpError(404, 'not_found', 'No such route.')
    return found.route({ request, user, handler: context, rest: found.rest })
  }
  const withHeaders = ({ status, statusText, headers: own, body }: Response, request: Request) => {
    // The headers of a response from `authenticate` may be immutable.
    const headers = new Headers(own)
    for (const [name, value] of Object.entries(corsHeaders(request, origins))) headers.set(name, value)
    if (hasUnreadBody(request, maxBodyBytes)) headers.set('connection', 'close')
    return new Response(body, { status, statusText, headers })
  }
  const handler = async (request: Request) => {
    try {
      return withHeaders(await respond(request), request)
    } catch (error) {
      return withHeaders(failed(error, request, context.options), request)
    }
  }
  const look = () => sweep(context.runs, { handler: context, request: new Request('http://localhost/sweep') })
  const sweeper = new Sweeper(sweepMs, () =>
    look().catch((error: unknown) =>
      reportError(error, new Request('http://localhost/sweep'), context.options),
    ),
  )
  return Object.assign(
    (request: Request) => {
      // Some hosts allow timers only while they handle a request.
      sweeper.start()
      return handler(request)
    },
    {
      sweep: look,
      close: async ({ withinMs = 0, reason = new Error('the handler was closed') }: CloseOptions = {}) => {
        sweeper.stop()
        const closed = await context.runs.close(withinMs, reason)
        context.artifacts.close()
        return closed
      },
    },
  )
}

const sharedUser: User = { id: '' }

/**
 * Returns the user, or the response that `authenticate` returned.
 * @throws HttpError 401 if there is no user; TypeError if the user's id is not a non-empty string
 */
function checkUser(user: User | Response | undefined): User | Response {
  if (!user) throw new HttpError(401, 'unauthorized', 'Authentication is required.')
  if (user instanceof Response) return user
  const { id } = user
  if (typeof id === 'string' && id !== '') return user
  const found = id === '' ? 'an empty id' : `an id of type ${typeof id}`
  throw new TypeError(
    `authenticate returned a user with ${found}. Return { id } with a non-empty string, or undefined to reject.`,
  )
}

function toContext(agents: readonly AnyAgent[], options: HandlerOptions): HandlerContext {
  if (agents.length === 0 || !agents.every((agent) => typeof agent?.stream === 'function'))
    throw new TypeError('agentHandler needs an agent or an array of agents. Use new Agent(...).')
  const byName = new Map(agents.map((agent) => [agent.name, agent]))
  if (byName.size !== agents.length)
    throw new TypeError('Duplicate agent name. Give each agent in agentHandler a different name.')
  const settings = toSettings(options)
  const { authenticate, maxBodyBytes, maxBodiesBytes } = settings
  const bodiesPerUser = authenticate === false ? maxBodiesBytes : maxBodiesBytes / 4
  const context: HandlerContext = {
    agents: byName,
    options: settings,
    runs: new Runs(settings, () => context),
    artifacts: new UserArtifacts(options, settings.runs),
    bodies: new Quota({ total: maxBodiesBytes, perUser: Math.max(bodiesPerUser, maxBodyBytes) }),
    replies: new KnownReplies(),
    items: new KnownItems(),
  }
  return context
}

/**
 * Calls a function at regular intervals after `start()`, or never if the interval is 0. Does not keep the process
 * alive.
 */
class Sweeper {
  readonly #ms: number
  readonly #work: () => Promise<void>
  #timer: ReturnType<typeof setInterval> | undefined
  #isStopped = false

  constructor(ms: number, work: () => Promise<void>) {
    this.#ms = ms
    this.#work = work
  }

  start(): void {
    if (this.#timer !== undefined || this.#isStopped || this.#ms === 0) return
    this.#timer = setInterval(() => {
      this.#work().catch(() => {})
    }, this.#ms)
    if (typeof this.#timer === 'object') this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#isStopped = true
  }
}

/** Finds the route for a path, and the path segments after the route's name. Undefined if there is no such route. */
function routeOf(pathname: string, basePath: string) {
  const base = basePath.replace(/\/+$/, '')
  if (!pathname.startsWith(`${base}/`)) return undefined
  const path = pathname.slice(base.length + 1)
  for (const [name, route] of Object.entries(routes))
    if (path === name || path.startsWith(`${name}/`))
      return {
        route,
        rest: path
          .slice(name.length + 1)
          .split('/')
          .filter(Boolean),
      }
  return undefined
}

function failed(error: unknown, request: Request, options: Settings): Response {
  if (!(error instanceof HttpError)) reportError(error, request, options)
  const found = routeOf(new URL(request.url).pathname, options.basePath)
  if (found?.route === uiRoute) return toUiErrorResponse(toHttpError(error))
  return toErrorResponse(toHttpError(error), found?.route === messagesRoute ? toMessagesError : undefined)
}
