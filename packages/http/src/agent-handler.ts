import type { AnyAgent } from '@capstan/core'
import { agUiRoute } from './ag-ui/ag-ui-route.js'
import { artifactsRoute } from './artifacts-route.js'
import { chatRoute } from './chat/chat-route.js'
import { modelsRoute } from './chat/models-route.js'
import { HttpError, toErrorResponse, toHttpError } from './http-error.js'
import { LiveRuns } from './live-runs.js'
import { OpenChats } from './open-chats.js'
import type { HandlerOptions, User } from './options.js'
import { checkOrigin, corsHeaders, toPreflight } from './origins.js'
import { ParkedRuns } from './parked-runs.js'
import { isTooMuchLeft } from './read-json.js'
import { ReadableArtifacts } from './readable-artifacts.js'
import { runsRoute } from './runs-route.js'
import type { Site, Visit } from './site.js'
import { tellHouse } from './tell-house.js'
import { uiRoute } from './ui/ui-route.js'

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
 * @throws TypeError when `authenticate` is missing: who may ask is for you to say
 */
export function agentHandler(agents: AnyAgent | readonly AnyAgent[], options: HandlerOptions): AgentHandler {
  const { authenticate, basePath = '/', origins = [] } = options
  if (authenticate !== false && typeof authenticate !== 'function')
    throw new TypeError(
      'agentHandler needs `authenticate`: a function that says who asks, or false for anybody.',
    )
  const site = toSite([agents].flat(), options)
  const answer = async (request: Request): Promise<Response> => {
    if (request.method === 'OPTIONS') return toPreflight(request, origins)
    checkOrigin(request, { origins, isOpen: authenticate === false })
    const found = routeOf(new URL(request.url).pathname, basePath)
    const user = authenticate === false ? anybody : await authenticate(request)
    if (user instanceof Response) return user
    if (!isUser(user)) throw new HttpError(401, 'unauthorized', 'Say who you are.')
    if (!found) throw new HttpError(404, 'not_found', 'There is no such route.')
    return found.route({ request, user, site, rest: found.rest })
  }
  const withHeaders = ({ status, statusText, headers: own, body }: Response, request: Request) => {
    // An answer of the authentication's own may not be written to.
    const headers = new Headers(own)
    for (const [name, value] of Object.entries(corsHeaders(request, origins))) headers.set(name, value)
    if (isTooMuchLeft(request, site.options.maxBodyBytes)) headers.set('connection', 'close')
    return new Response(body, { status, statusText, headers })
  }
  const handler = async (request: Request) => {
    try {
      return withHeaders(await answer(request), request)
    } catch (error) {
      return withHeaders(failed(error, request, options), request)
    }
  }
  return Object.assign(handler, {
    close: (reason: unknown = new Error('the handler was closed')) => site.runs.close(reason),
  })
}

const anybody: User = { id: '' }

function isUser(user: unknown): user is User {
  return typeof user === 'object' && user !== null && typeof (user as User).id === 'string'
}

function toSite(agents: readonly AnyAgent[], options: HandlerOptions): Site {
  const { maxRuns = 100, keepRunsMs = 60_000 } = options
  // Where all are one user, this user may have all runs.
  const { maxRunsPerUser = options.authenticate === false ? maxRuns : Math.ceil(maxRuns / 4) } = options
  const byName = new Map(agents.map((agent) => [agent.name, agent]))
  if (byName.size !== agents.length || byName.size === 0)
    throw new TypeError('agentHandler needs an agent, or several of different names.')
  return {
    agents: byName,
    options: {
      maxBodyBytes: 2 ** 20,
      maxSeconds: 600,
      keepAliveMs: 8000,
      onDisconnect: 'abort',
      ...options,
      maxRuns,
      keepRunsMs,
    },
    runs: new LiveRuns({ maxRuns, maxRunsPerUser, keepMs: keepRunsMs }),
    parked: new ParkedRuns(),
    artifacts: new ReadableArtifacts(),
    chats: new OpenChats(),
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
