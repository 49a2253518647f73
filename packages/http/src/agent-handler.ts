import type { AnyAgent } from '@capstan/core'
import { LiveRuns, OpenChats } from './active-runs.js'
import { agUiRoute } from './ag-ui/route.js'
import { artifactsRoute } from './artifacts.js'
import { KnownAnswers } from './chat/known-replies.js'
import { chatRoute, modelsRoute } from './chat/route.js'
import type { Site, Visit } from './context.js'
import { checkHost, checkOrigin, corsHeaders, toPreflight } from './cors.js'
import { HttpError, tellHouse, toErrorResponse, toHttpError } from './http-error.js'
import { type HandlerOptions, type HandlerOptionsOf, toSettings, type User } from './options.js'
import { ParkedRuns } from './pending-runs.js'
import { Quota } from './quota.js'
import { isTooMuchLeft } from './read-json.js'
import { runsRoute } from './runs-route.js'
import { uiRoute } from './ui/route.js'
import { ReadableArtifacts, UserArtifacts } from './user-artifacts.js'

/** Answers requests for agents, on any server that speaks in web standards. */
export interface AgentHandler {
  (request: Request): Promise<Response>
  /** Aborts the runs that go on. */
  close(reason?: unknown): void
}

const routes: Readonly<Record<string, (visit: Visit) => Promise<Response>>> = {
  'v1/chat/completions': chatRoute,
  'v1/models': modelsRoute,
  runs: runsRoute,
  artifacts: artifactsRoute,
  ui: uiRoute,
  'ag-ui': agUiRoute,
}

/**
 * Makes an agent, or several, reachable: as a model for clients of the chat interface (`v1/chat/completions`,
 * `v1/models`), to chats of the AI SDK (`ui`) and of AG-UI (`ag-ui`), with its events (`runs`), and what its runs made
 * (`artifacts`).
 * @throws TypeError without agents, without `authenticate`, and for an option that is not valid
 */
export function agentHandler<const Agents extends AnyAgent | readonly AnyAgent[]>(
  agents: Agents,
  options: HandlerOptionsOf<Agents>,
): AgentHandler {
  const site = toSite([agents].flat() as readonly AnyAgent[], options)
  const { authenticate, basePath, origins, hosts, maxBodyBytes } = site.options
  const answer = async (request: Request): Promise<Response> => {
    if (authenticate === false) checkHost(request, hosts)
    if (request.method === 'OPTIONS') return toPreflight(request, origins)
    checkOrigin(request, origins)
    const found = routeOf(new URL(request.url).pathname, basePath)
    const user = authenticate === false ? anybody : checkUser(await authenticate(request))
    if (user instanceof Response) return user
    if (!found) throw new HttpError(404, 'not_found', 'There is no such route.')
    return found.route({ request, user, site, rest: found.rest })
  }
  const withHeaders = ({ status, statusText, headers: own, body }: Response, request: Request) => {
    // An answer of the authentication's own may not be written to.
    const headers = new Headers(own)
    for (const [name, value] of Object.entries(corsHeaders(request, origins))) headers.set(name, value)
    if (isTooMuchLeft(request, maxBodyBytes)) headers.set('connection', 'close')
    return new Response(body, { status, statusText, headers })
  }
  const handler = async (request: Request) => {
    try {
      return withHeaders(await answer(request), request)
    } catch (error) {
      return withHeaders(failed(error, request, site.options), request)
    }
  }
  return Object.assign(handler, {
    close: (reason: unknown = new Error('the handler was closed')) => {
      site.artifacts.close()
      site.runs.close(reason)
    },
  })
}

const anybody: User = { id: '' }

/** @throws HttpError 401 for nobody; TypeError for a user whose runs could not be told from those of others */
function checkUser(user: User | Response | undefined): User | Response {
  if (!user) throw new HttpError(401, 'unauthorized', 'Say who you are.')
  if (user instanceof Response) return user
  const { id } = user
  if (typeof id === 'string' && id !== '') return user
  const found = id === '' ? 'an empty id' : `an id of type ${typeof id}`
  throw new TypeError(
    `authenticate returned a user with ${found}. Return { id } with a text that is not empty, or undefined to refuse.`,
  )
}

function toSite(agents: readonly AnyAgent[], options: HandlerOptions): Site {
  if (agents.length === 0 || !agents.every((agent) => typeof agent?.stream === 'function'))
    throw new TypeError('agentHandler needs an agent, or a list of agents. Make one with new Agent(...).')
  const byName = new Map(agents.map((agent) => [agent.name, agent]))
  if (byName.size !== agents.length)
    throw new TypeError('agentHandler needs agents of different names. Give each a name of its own.')
  const settings = toSettings(options)
  const parked = new ParkedRuns()
  const { authenticate, maxRuns, maxRunsPerUser, keepRunsMs, maxBodyBytes, maxBodiesBytes } = settings
  const bodiesPerUser = authenticate === false ? maxBodiesBytes : maxBodiesBytes / 4
  return {
    agents: byName,
    options: settings,
    runs: new LiveRuns({ maxRuns, maxRunsPerUser, keepMs: keepRunsMs }),
    parked,
    artifacts: new UserArtifacts(options, parked),
    readable: new ReadableArtifacts(),
    chats: new OpenChats(),
    bodies: new Quota({ total: maxBodiesBytes, perUser: Math.max(bodiesPerUser, maxBodyBytes) }),
    answers: new KnownAnswers(),
  }
}

/** The route, and what of the path is behind it. */
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

function failed(error: unknown, request: Request, options: HandlerOptions): Response {
  if (!(error instanceof HttpError)) tellHouse(error, request, options)
  return toErrorResponse(toHttpError(error))
}
