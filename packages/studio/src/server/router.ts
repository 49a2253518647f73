import { isArtifactId } from '@capstan/core'
import { HttpError, methodNotAllowed } from '@capstan/http/parts'

/** A request and its validated path parameters. */
export interface RouteContext {
  readonly request: Request
  readonly url: URL
  /** The decoded path parameters, by their names in the route's pattern. */
  readonly params: Readonly<Record<string, string>>
}

/** A method and a path, such as `GET /api/runs/:run`, and the function that handles matching requests. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /**
   * The pattern for the path. A segment that starts with a colon is a parameter. A last segment that starts with a star
   * matches the rest of the path. The values must match `patterns`.
   */
  readonly path: string
  answer(context: RouteContext): Response | Promise<Response>
}

/**
 * The valid values of each path parameter. Ids are checked here, so that no route puts unsafe text into a file path.
 */
const patterns: Readonly<Record<string, (segment: string) => boolean>> = {
  run: (segment) => /^[\w-][\w.-]{0,127}$/.test(segment),
  number: (segment) => /^\d{1,9}$/.test(segment),
  artifact: isArtifactId,
  name: (segment) => segment.length <= 200 && !/[/\\\p{Cc}]/u.test(segment),
  part: (segment) => segment.length <= 500 && !/[\\\p{Cc}]/u.test(segment),
}

/**
 * Returns a function that calls the route for a request. Throws HttpError 404 for an unknown path, 405 for an
 * unsupported method.
 */
export function toRouter(routes: readonly Route[]): (request: Request) => Promise<Response> {
  const table = routes.map((route) => ({ route, segments: route.path.split('/') }))
  return async (request) => {
    const url = new URL(request.url)
    const given = url.pathname.split('/')
    const found = table.flatMap(({ route, segments }) => {
      const params = match(segments, given)
      return params ? [{ route, params }] : []
    })
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const chosen = found.find(({ route }) => route.method === method)
    if (chosen) return chosen.route.answer({ request, url, params: chosen.params })
    if (found.length === 0) throw new HttpError(404, 'not_found', `There is nothing at ${url.pathname}.`)
    throw methodNotAllowed(found.map(({ route }) => route.method).join(', '))
  }
}

function match(
  segments: readonly string[],
  given: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const rest = segments.at(-1)?.startsWith('*') ? segments.length - 1 : undefined
  if (rest === undefined ? segments.length !== given.length : segments.length > given.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, segment] of segments.entries()) {
    const text = index === rest ? given.slice(index).join('/') : (given[index] ?? '')
    if (!/^[:*]/.test(segment)) {
      if (segment !== text) return undefined
      continue
    }
    const name = segment.slice(1)
    const decoded = decode(text)
    if (decoded === undefined || decoded === '' || !patterns[name]?.(decoded)) return undefined
    params[name] = decoded
  }
  return params
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
